import type { KnownRecord } from './collections.js'
import { collectionsOf, createIn, readMember, recordOf, type Collection, type Created } from './members.js'
import { reporter, type Run } from './run.js'
import { VARIANTS } from './round-values.js'
import { differentName, isScalar, jsonOf, short, variantFields } from './written.js'

/** Checks that what is created is what is read. */
export async function checkWrites(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    if (run.isOver()) return
    // A record that is shown wrongly tells nothing of how it was written.
    const { show } = collection
    if (show !== undefined && (run.isKnown(show, 'document') || run.isKnown(show, 'data'))) continue
    await checkCreations(collection)
  }
}

async function checkCreations(collection: Collection): Promise<void> {
  const { run, create } = collection
  const plain = await createIn(collection)
  if (plain === undefined || !await isReadable(collection, plain)) return
  await checkLocation(collection, plain)
  await run.probe(create, { request: plain.request, about: 'the same request again' })
  for (let round = 0; round < VARIANTS; round++) {
    if (run.isOver() || run.isKnown(create, 'data')) return
    const fields = variantFields(run, create, round)
    if (await compareFields(collection, fields)) continue
    for (const [name, value] of Object.entries(fields)) await compareFields(collection, { [name]: value })
  }
}

async function isReadable(collection: Collection, { id, request }: Created): Promise<boolean> {
  const { status } = await readMember(collection, id)
  // A list may lack what is new: it may show what is approved, or a page.
  if (status === 404 && collection.show !== undefined) {
    await report(collection.run, collection.create, request, 'A record that was created cannot be read: it is 404')
  }
  return status === 200
}

/** Creates a record with these fields, and compares them with what is read; false if the creation is refused. */
async function compareFields(collection: Collection, fields: KnownRecord): Promise<boolean> {
  const { run, create } = collection
  const created = await createIn(collection, fields)
  if (created === undefined) return false
  const { id, request, record } = created
  const read = recordOf(await readMember(collection, id))
  if (read === undefined) return true
  const sent = { ...jsonOf(request), ...fields }
  // The first field that is read otherwise than it was sent, or than the reply shows it.
  const name = differentName(run, create, sent, read)
    ?? [...run.fieldsOf(create).keys()].find((one) =>
      isScalar(record[one]) && isScalar(read[one]) && record[one] !== read[one]
    )
  if (name === undefined) return true
  const told = record[name] === undefined ? '' : `, and the reply said ${short(record[name])}`
  await report(run, create, request,
    `\`${name}\` was sent as ${short(sent[name])} and is read as ${short(read[name])}${told}`)
  return true
}

/** Follows the `Location` of a creation. */
async function checkLocation({ run, caller, create }: Collection, { request, observed, id }: Created): Promise<void> {
  const [location] = observed.headers.location ?? []
  if (location === undefined || observed.status !== 201) return
  const { pathname } = new URL(location, 'http://localhost/')
  const read = await run.send({ caller, method: 'GET', path: pathname, query: [], headers: {}, body: undefined })
  const record = recordOf(read)
  const isWrong = read.status === 404 || read.status === 405 || (record?.id !== undefined && record.id !== id)
  if (isWrong) await report(run, create, request, '`Location` is not the path of the created record')
}

const report = reporter('data', 'what is read after it')
