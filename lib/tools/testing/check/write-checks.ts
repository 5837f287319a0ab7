import { isAdmitted, type KnownRecord } from './known.js'
import { collectionsOf, createIn, memberOf, memberRequest, readMember, recordOf, type Collection,
  type Created } from './members.js'
import type { Run } from './run.js'
import { isDifferent, isReset, variantOf, VARIANTS } from './round-values.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks that what is written is what is read: after creations, partial and whole changes. */
export async function checkWrites(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    if (run.isOver()) return
    // A record that is shown wrongly tells nothing of how it was written.
    if (run.isKnown(collection.show, 'document') || run.isKnown(collection.show, 'data')) continue
    await checkCreations(collection)
    for (const method of ['PATCH', 'PUT'] as const) {
      const target = memberOf(run, collection.path, method)
      if (target !== undefined && isAdmitted(target.access[collection.caller])) await checkChanges(collection, target)
    }
  }
}

/** Returns a value for each field of a body, of the values that are often stored as others. */
function variantFields({ run }: Collection, target: Target, round: number): KnownRecord {
  const fields = bodyPlanOf(target, run.resolve)?.fields ?? new Map<string, never>()
  const number = run.known.next()
  return Object.fromEntries([...fields].flatMap(([name, { schema }]) => {
    const value = variantOf(name, schema, run.resolve, { round, number })
    return value === undefined ? [] : [[name, value]]
  }))
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
    const fields = variantFields(collection, collection.create, round)
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
  if (status === 404) {
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
  const name = differentName(collection, collection.create, sent, read) ?? changedName(collection, record, read)
  if (name === undefined) return
  const told = record[name] === undefined ? '' : `, and the reply said ${short(record[name])}`
  await report(collection, collection.create, request,
    `\`${name}\` was sent as ${short(sent[name])} and is read as ${short(read[name])}${told}`)
}

function jsonOf({ body }: CheckRequest): KnownRecord {
  return body !== undefined && 'json' in body ? Object(body.json) as KnownRecord : {}
}

/** Returns the first field that is read as another value than it was sent. */
function differentName({ run }: Collection, target: Target, sent: KnownRecord, read: KnownRecord): string | undefined {
  const plan = bodyPlanOf(target, run.resolve)
  return [...plan?.fields ?? []].find(([name, { schema }]) =>
    variantOf(name, schema, run.resolve, { round: 0, number: 1 }) !== undefined
    && isDifferent(sent[name], read[name], schema, run.resolve)
  )?.[0]
}

/** Returns the first field of a body that a reply shows otherwise than a later read. */
function changedName({ run, create }: Collection, replied: KnownRecord, read: KnownRecord): string | undefined {
  const fields = bodyPlanOf(create, run.resolve)?.fields.keys() ?? []
  return [...fields].find((name) => isScalar(replied[name]) && isScalar(read[name]) && replied[name] !== read[name])
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
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

/** Changes a record field by field; with PUT all fields at once. */
async function checkChanges(collection: Collection, target: Target): Promise<void> {
  const created = await createIn(collection)
  if (created === undefined) return
  for (let round = 0; round < VARIANTS; round++) {
    const fields = variantFields(collection, target, round)
    const bodies = target.method === 'PUT'
      ? [fields]
      : Object.entries(fields).map(([name, value]) => ({ [name]: value }))
    for (const body of bodies)
      if (!collection.run.isOver() && !collection.run.isKnown(target, 'data'))
        await checkChange(collection, target, created.id, body)
  }
}

async function checkChange(collection: Collection, target: Target, id: unknown, fields: KnownRecord): Promise<void> {
  const { run, caller } = collection
  const first = await readMember(collection, id)
  const sent = await sendChange(run, target, await memberRequest(run, target, caller, id), fields)
  run.known.forget()
  const second = await readMember(collection, id)
  const [before, after] = [recordOf(first), recordOf(second)]
  if (sent === undefined || before === undefined || after === undefined) return
  await compareChanged(collection, target, sent.request, { before, after, replied: recordOf(sent.observed) ?? {} })
  await checkTags(collection, id, [first, second])
}

type States = Readonly<Record<'before' | 'after' | 'replied', KnownRecord>>

/** Compares a changed record with what was sent, and its other fields with what they were. */
async function compareChanged(
  collection: Collection,
  target: Target,
  request: CheckRequest,
  { before, after, replied }: States,
): Promise<void> {
  const json = jsonOf(request)
  const name = differentName(collection, target, json, after)
  if (name !== undefined) {
    await report(collection, target, request,
      `\`${name}\` was sent as ${short(json[name])} and is read as ${short(after[name])}`)
  }
  const stale = Object.keys(json).find((one) =>
    name === undefined && isScalar(replied[one]) && isScalar(after[one])
    && replied[one] !== after[one] && replied[one] === before[one]
  )
  if (stale !== undefined) {
    await report(collection, target, request,
      `The reply has \`${stale}\` as it was before, ${short(replied[stale])}, and not as it is: ${short(after[stale])}`)
  }
  const reset = target.method === 'PATCH' ? resetName(collection.run, target, { json, before, after }) : undefined
  if (reset !== undefined) {
    await report(collection, target, request,
      `\`${reset}\` was not sent, but ${short(before[reset])} became ${short(after[reset])}`)
  }
}

/** Compares the tags of two states of a record. */
async function checkTags({ run, show, caller }: Collection, id: unknown,
  states: readonly [Observed, Observed]): Promise<void>
{
  const [tag, newTag] = states.map(({ headers }) => headers.etag?.[0])
  const [before, after] = states.map((state) => JSON.stringify(recordOf(state)))
  if (tag === undefined || tag !== newTag || before === after) return
  const request = await memberRequest(run, show, caller, id)
  await run.record(show, { request, about: 'a changed record' }, { kind: 'state',
    message: 'Two states of the record have the same `ETag`' })
}

/** Sends fields alone if the method is PATCH, and with all others otherwise or if they are refused alone. */
async function sendChange(
  run: Run,
  target: Target,
  made: CheckRequest,
  fields: KnownRecord,
): Promise<{ readonly request: CheckRequest; readonly observed: Observed } | undefined> {
  const whole = { ...jsonOf(made), ...fields }
  for (const json of target.method === 'PUT' ? [whole] : [fields, whole]) {
    const request: CheckRequest = { ...made, body: { json } }
    const observed = await run.probe(target, { request, about: 'a valid change' })
    const { status } = observed
    if (status >= 200 && status < 300) return status === 202 ? undefined : { request, observed }
  }
  return undefined
}

function resetName(
  run: Run,
  target: Target,
  { json, before, after }: Readonly<Record<'json' | 'before' | 'after', KnownRecord>>,
): string | undefined {
  const fields = bodyPlanOf(target, run.resolve)?.fields.keys() ?? []
  return [...fields].find((name) => !Object.hasOwn(json, name) && isReset(before[name], after[name]))
}

async function report({ run }: Collection, target: Target, request: CheckRequest, message: string): Promise<void> {
  await run.record(target, { request, about: 'what is read after it' }, { kind: 'data', message })
}
