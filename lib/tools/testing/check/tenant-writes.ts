import { pathNamesOf } from '../../../core/index.js'
import { isAdmitted, readRequest, recordsIn, wordOf, type KnownRecord } from './known.js'
import type { Run } from './run.js'
import { isDivided, missingLike, report, type Pair } from './tenant-pair.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks what a tenant learns when another one writes, and what it can do with values of the other. */
export async function checkWrites(run: Run, pair: Pair): Promise<void> {
  const collections = run.targets.filter(({ method, path, access }) =>
    method === 'POST' && pathNamesOf(path).length === 0 && isAdmitted(access[pair.other])
  )
  for (const target of collections) {
    if (!run.isOver() && await isDivided(run, target.path, pair)) await checkCreation(run, target, pair)
  }
  for (const target of run.targets) {
    if (run.isOver()) return
    if (!isAdmitted(target.access[pair.one])) continue
    await checkReferences(run, target, pair)
    await checkIds(run, target, pair)
  }
}

/** A reply that is the same for the same request. */
interface StableRead {
  readonly target: Target
  readonly request: CheckRequest
  readonly text: string
}

async function stableReads(run: Run, caller: string): Promise<StableRead[]> {
  const reads: StableRead[] = []
  for (const target of run.targets) {
    if (target.method !== 'GET' || pathNamesOf(target.path).length > 0 || !isAdmitted(target.access[caller])) continue
    const request = readRequest(target, {}, caller)
    const { text, status } = await run.send(request)
    if (status === 200 && (await run.send(request)).text === text) reads.push({ target, request, text })
  }
  return reads
}

/** Creates a record as the other tenant, and looks what it changes for the first one. */
async function checkCreation(run: Run, target: Target, pair: Pair): Promise<void> {
  const reads = await stableReads(run, pair.one)
  const make = await run.known.maker(target, pair.other)
  const created = make()
  const { status } = await run.send(created)
  run.known.forget()
  if (!isAccepted(status)) return
  for (const { target: read, request, text } of reads) {
    const again = await run.send(request)
    if (again.text !== text && again.status === 200) {
      await report(run, read, request, 'The reply changes when another tenant creates a record')
    }
  }
  await checkConflicts(run, target, pair, fieldsIn(created))
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300
}

function fieldsIn({ body }: CheckRequest): KnownRecord {
  return body !== undefined && 'json' in body ? Object(body.json) as KnownRecord : {}
}

/** Sends the strings of another tenant's record: whether they are taken there must not matter. */
async function checkConflicts(run: Run, target: Target, pair: Pair, taken: KnownRecord): Promise<void> {
  const texts = Object.entries(taken).filter(([, value]) => typeof value === 'string')
  for (const writing of [target, ...changesBelow(run, target)]) {
    if (!isAdmitted(writing.access[pair.one])) continue
    const fields = bodyPlanOf(writing, run.resolve)?.fields
    for (const [name, value] of texts) {
      if (!run.isOver() && fields?.has(name) === true) await checkConflict(run, writing, pair, { [name]: value })
    }
  }
  run.known.forget()
}

/** Returns the routes that change a record of a collection. */
function changesBelow(run: Run, { path: collection }: Target): readonly Target[] {
  return run.targets.filter(({ method, path }) =>
    (method === 'PATCH' || method === 'PUT') && path.startsWith(`${collection}/:`)
    && !path.slice(collection.length + 1).includes('/')
  )
}

async function checkConflict(run: Run, target: Target, pair: Pair, fields: KnownRecord): Promise<void> {
  const make = await run.known.maker(target, pair.one)
  const [before, request] = [await run.send(make()), make(fields)]
  const { status } = await run.send(request)
  const isRefused = status === 409 || status === 422
  if (!isRefused || !isAccepted(before.status) || !isAccepted((await run.send(make())).status)) return
  const [name = ''] = Object.keys(fields)
  await report(run, target, request, `The reply tells that a value of \`${name}\` is taken by another tenant`)
}

/** Sends ids of another tenant's records in fields such as `customerId`. */
async function checkReferences(run: Run, target: Target, pair: Pair): Promise<void> {
  const plan = bodyPlanOf(target, run.resolve)
  if (plan === undefined || plan.isForm) return
  for (const name of plan.fields.keys()) {
    const word = /^(.+?)(?:Id|_id)$/.exec(name)?.[1]
    const list = word === undefined ? undefined : run.known.listOf(word)
    if (list !== undefined && await isDivided(run, list.path, pair)) {
      await checkReference(run, target, pair, { name, list })
    }
  }
}

async function checkReference(
  run: Run,
  target: Target,
  pair: Pair,
  { name, list }: { readonly name: string; readonly list: Target },
): Promise<void> {
  const foreign = await lastId(run, list.path, pair.other)
  const own = await lastId(run, list.path, pair.one)
  const sendWith = async (id: unknown): Promise<readonly [Observed, CheckRequest]> => {
    const request = (await run.known.maker(target, pair.one))({ [name]: id })
    return [await run.send(request), request]
  }
  const [accepted] = await sendWith(own)
  const [missing] = await sendWith(absentLike(own))
  // Where no record is looked up, nothing of another tenant's can be told.
  if (!isAccepted(accepted.status) || isAccepted(missing.status)) return
  const [observed, request] = await sendWith(foreign)
  if (isAccepted(observed.status)) {
    await report(run, target, request, `\`${name}\` may name a record of another tenant`)
  } else if (observed.status !== missing.status) {
    await report(run, target, request, `The reply tells that a record of another tenant exists, by \`${name}\``)
  }
}

async function lastId(run: Run, path: string, caller: string): Promise<unknown> {
  return (await run.known.ownRecords(path, caller)).at(-1)?.id
}

/** Returns an id of the same type that no record has. */
function absentLike(id: unknown): unknown {
  const missing = missingLike(wordOf(id))
  return typeof id === 'number' ? Number(missing) : missing
}

/** Names records of another tenant in parameters and fields that take ids. */
async function checkIds(run: Run, target: Target, pair: Pair): Promise<void> {
  const place = idsPlace(run, target)
  const collection = pathNamesOf(target.path).length > 0 ? undefined : run.known.listAt(target.path)?.path
  if (place === undefined || collection === undefined || !await isDivided(run, collection, pair)) return
  const before = await run.known.ownRecords(collection, pair.other)
  const foreign = before.at(-1)?.id
  const make = await run.known.maker(target, pair.one)
  const { status } = await run.send(requestWith(make(), place, absentLike(foreign)))
  const request = requestWith(make(), place, foreign)
  const observed = await run.send(request)
  const isChanged = JSON.stringify(await run.known.ownRecords(collection, pair.other)) !== JSON.stringify(before)
  if (isChanged || isShown(target, observed, foreign)) {
    await report(run, target, request, 'The caller reaches a record of another tenant by `ids`')
  } else if (status !== observed.status) {
    await report(run, target, request, 'The reply tells that a record of another tenant exists, by `ids`')
  }
  run.known.forget()
}

function isShown({ method }: Target, observed: Observed, foreign: unknown): boolean {
  return method === 'GET' && recordsIn(observed).some(({ id }) => id === foreign)
}

type IdsPlace = 'query' | 'body'

function idsPlace(run: Run, target: Target): IdsPlace | undefined {
  const { method, operation } = target
  const isInQuery = operation?.parameters?.some(({ name }) => name === 'ids') === true
  if (isInQuery && (method === 'GET' || method === 'DELETE')) return 'query'
  return bodyPlanOf(target, run.resolve)?.fields.has('ids') === true ? 'body' : undefined
}

function requestWith(request: CheckRequest, place: IdsPlace, id: unknown): CheckRequest {
  const headers = request.method === 'GET' ? request.headers : { ...request.headers, 'if-match': '*' }
  if (place === 'body') return { ...request, headers, body: { json: { ...fieldsIn(request), ids: [id] } } }
  const others = request.query.filter(([name]) => name !== 'ids')
  return { ...request, headers, body: undefined, query: [...others, ['ids', wordOf(id)] as const] }
}
