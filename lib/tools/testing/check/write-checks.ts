import type { KnownRecord } from './collections.js'
import { collectionsOf, createIn, readMember, recordOf, type Collection, type Created } from './members.js'
import type { Run } from './run.js'
import { VARIANTS } from './round-values.js'
import { bodyPlanOf } from './values.js'
import { differentName, isScalar, jsonOf, short, variantFields } from './written.js'
import type { CheckRequest, Target } from './model.js'

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
  const plain = await createIn(collection)
  if (plain === undefined) return
  if (!await isReadable(collection, plain)) return
  await checkLocation(collection, plain)
  const { run, create } = collection
  await run.probe(create, { request: plain.request, about: 'the same request again' })
  for (let round = 0; round < VARIANTS; round++) {
    if (collection.run.isOver() || collection.run.isKnown(collection.create, 'data')) return
    const fields = variantFields(collection.run, collection.create, round)
    const together = await createIn(collection, fields)
    if (together !== undefined) await compareCreated(collection, together, fields)
    else for (const [name, value] of Object.entries(fields)) await compareOne(collection, { [name]: value })
  }
}

async function compareOne(collection: Collection, fields: KnownRecord): Promise<void> {
  const created = await createIn(collection, fields)
  if (created !== undefined) await compareCreated(collection, created, fields)
}

async function isReadable(collection: Collection, { id, request }: Created): Promise<boolean> {
  const { status } = await readMember(collection, id)
  // A list may lack what is new: it may show what is approved, or a page.
  if (status === 404 && collection.show !== undefined) {
    await report(collection, collection.create, request, 'A record that was created cannot be read: it is 404')
  }
  return status === 200
}

/** Compares the fields of a creation with those of its reply and of the record that is read. */
async function compareCreated(collection: Collection, { id, request, record }: Created,
  fields: KnownRecord): Promise<void>
{
  const read = recordOf(await readMember(collection, id))
  if (read === undefined) return
  const sent = { ...jsonOf(request), ...fields }
  const name = differentName(collection.run, collection.create, sent, read) ?? changedName(collection, record, read)
  if (name === undefined) return
  const told = record[name] === undefined ? '' : `, and the reply said ${short(record[name])}`
  await report(collection, collection.create, request,
    `\`${name}\` was sent as ${short(sent[name])} and is read as ${short(read[name])}${told}`)
}

/** Returns the first field of a body that a reply shows otherwise than a later read. */
function changedName({ run, create }: Collection, replied: KnownRecord, read: KnownRecord): string | undefined {
  const fields = bodyPlanOf(create, run.resolve)?.fields.keys() ?? []
  return [...fields].find((name) => isScalar(replied[name]) && isScalar(read[name]) && replied[name] !== read[name])
}

/** Follows the `Location` of a creation. */
async function checkLocation(collection: Collection, { request, observed, id }: Created): Promise<void> {
  const [location] = observed.headers.location ?? []
  if (location === undefined || observed.status !== 201) return
  const { pathname } = new URL(location, 'http://localhost/')
  const { run, caller, create } = collection
  const read = await run.send({ caller, method: 'GET', path: pathname, query: [], headers: {}, body: undefined })
  const record = recordOf(read)
  const isWrong = read.status === 404 || read.status === 405 || (record?.id !== undefined && record.id !== id)
  if (isWrong) await report(collection, create, request, '`Location` is not the path of the created record')
}

async function report({ run }: Collection, target: Target, request: CheckRequest, message: string): Promise<void> {
  await run.record(target, { request, about: 'what is read after it' }, { kind: 'data', message })
}
