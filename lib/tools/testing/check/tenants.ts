import { pathNamesOf } from '../../../core/index.js'
import { tenantHeaders, withHeaders } from './claimed-headers.js'
import { argumentFor, collectionOf, isAdmitted, pathOf, readRequest, recordsIn, wordOf, propertiesOf, type KnownRecord,
  type PathValues } from './collections.js'
import type { Run } from './run.js'
import { isAccepted } from './sessions.js'
import { differentClaims, isDivided, missingLike, report, type Pair } from './tenant-pair.js'
import { checkAssignments } from './tenant-claims.js'
import { checkQueries } from './tenant-queries.js'
import { checkSingles } from './tenant-singles.js'
import { checkWrites } from './tenant-writes.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks that the callers of different tenants learn nothing of each other's rows. */
export async function checkTenants(run: Run): Promise<void> {
  const { tenants } = run.settings
  for (const tenant of tenants) await addRecords(run, tenant)
  for (const [index, one] of tenants.entries()) {
    const pair = { one, other: tenants[(index + 1) % tenants.length] ?? one }
    await checkSingles(run, pair)
    await checkReads(run, pair)
    await checkWrites(run, pair)
    await checkAssignments(run, pair)
    for (const target of run.targets) if (!run.isOver()) await checkPaths(run, target, pair)
  }
}

/** Creates a record in each collection in which a tenant may, so that each tenant has some. */
async function addRecords(run: Run, tenant: string): Promise<void> {
  const collections = run.targets.filter((target) =>
    target.method === 'POST' && isAdmitted(target.access[tenant]) && run.known.listAt(target.path) !== undefined
  )
  for (const target of collections.sort((one, other) => one.path.length - other.path.length)) {
    for (let count = 0; count < 2 && !run.isOver(); count++) {
      const make = await run.known.maker(target, tenant)
      await run.send(make())
      run.known.forget()
    }
  }
}

/** Compares what each route without arguments tells a tenant with what belongs to another. */
async function checkReads(run: Run, pair: Pair): Promise<void> {
  const reads = run.targets.filter(({ method, path, access, entry }) =>
    (method === 'GET' || entry?.produces !== undefined) && pathNamesOf(path).length === 0
    && isAdmitted(access[pair.one])
  )
  const foreign = await foreignStrings(run, reads.filter(({ method }) => method === 'GET'), pair)
  const claims = differentClaims(run, pair)
  for (const target of reads) {
    if (run.isOver()) return
    const request = (await run.known.maker(target, pair.one))()
    const observed = await run.send(request)
    const isForeign = foreign.some((text) => observed.text.includes(text))
      || recordsIn(observed).some((record) => claims.some(([name, value]) => record[name] === value))
    if (isForeign || await listsUnreadable(run, target, pair, observed)) {
      await report(run, target, request, 'The reply contains data of another tenant')
    }
  }
  await checkQueries(run, pair, foreign)
}

/** Returns strings of records that only the other tenant can list, as they stand in JSON and in CSV. */
async function foreignStrings(run: Run, lists: readonly Target[], pair: Pair): Promise<string[]> {
  const [own, others] = [new Set<string>(), new Set<string>()]
  for (const { path } of lists) {
    const isForeign = await isDivided(run, path, pair)
    for (const text of textsOf(await run.known.ownRecords(path, pair.one))) own.add(text)
    if (!isForeign) continue
    for (const text of textsOf(await run.known.ownRecords(path, pair.other))) others.add(text)
  }
  return [...others].filter((text) => !own.has(text) && ![...own].some((one) => one.includes(text)))
}

/** Fields whose strings are the same in many records. */
const SHARED = /status|state|type|kind|category|role|phase|priority|label|currency|country|locale|zone/i

/** Returns strings that name one record: with a digit and a letter, and not a date; a person, or words with a name. */
function textsOf(records: readonly KnownRecord[]): string[] {
  const entries = records.flatMap((record) => Object.entries(record))
  return entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string').filter(([name, text]) =>
    /^(?!\d{4}-)(?=.*\d)(?=.*[a-z])[\w @.-]{6,200}$/i.test(text) || /^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}{2,}$/u.test(text)
    || (!SHARED.test(name) && /^\p{L}+ (?:\S+ ){1,10}\p{Lu}\p{Ll}{2,}$/u.test(text))
  ).map(([, text]) => text)
}

/** Returns true for a list with records that the caller cannot read one by one, although the other tenant can. */
async function listsUnreadable(run: Run, list: Target, { one, other }: Pair, observed: Observed): Promise<boolean> {
  const show = run.targets.find(({ method, path }) =>
    method === 'GET' && path.startsWith(`${list.path}/:`) && !path.slice(list.path.length + 1).includes('/')
  )
  if (show === undefined || !isAdmitted(show.access[one])) return false
  const [name = ''] = pathNamesOf(show.path)
  const statusFor = async (record: KnownRecord, caller: string): Promise<number> => {
    const values = { [name]: wordOf(argumentFor(name, record)) }
    return (await run.send(readRequest(show, values, caller))).status
  }
  for (const record of recordsIn(observed).slice(0, 20)) {
    if (record.id === undefined || await statusFor(record, one) !== 404) continue
    if (await statusFor(record, other) === 200) return true
  }
  return false
}

/** Sends requests with ids of the other tenant, which must be answered like ids of no record. */
async function checkPaths(run: Run, target: Target, pair: Pair): Promise<void> {
  if (!isAdmitted(target.access[pair.one])) return
  for (const name of pathNamesOf(target.path)) {
    const foreign = await foreignValue(run, target, name, pair)
    if (foreign === undefined) continue
    const make = await run.known.maker(target, pair.one)
    const values = await run.known.valuesFor(target, pair.one)
    const request = make()
    const withValue = (value: string): CheckRequest => ({
      ...request,
      headers: { ...request.headers, ...(WRITES.has(target.method) && { 'if-match': '*' }) },
      path: pathOf(target, { ...values, [name]: value }),
    })
    await compare(run, target, pair, [withValue(foreign), withValue(missingLike(foreign))])
    await checkHeaders(run, target, pair, withValue(foreign))
  }
}

/** Names the other tenant in headers, too: of what it says itself nothing may be believed. */
async function checkHeaders(run: Run, target: Target, pair: Pair, request: CheckRequest): Promise<void> {
  if (run.isKnown(target, 'tenant') || run.isKnown(target, 'access') || isAccepted(await run.send(request))) return
  for (const [, claim] of differentClaims(run, pair)) {
    const headers = Object.entries(tenantHeaders(run, target, claim))
    const withAll = withHeaders(request, Object.fromEntries(headers))
    if (!isAccepted(await run.send(withAll))) continue
    const single = await firstAccepted(run, headers.map(([name, value]) => withHeaders(request, { [name]: value })))
    await report(run, target, single ?? withAll, 'The caller reaches a record of another tenant that a header names')
    run.known.forget()
    return
  }
}

async function firstAccepted(run: Run, requests: readonly CheckRequest[]): Promise<CheckRequest | undefined> {
  for (const request of requests) if (isAccepted(await run.send(request))) return request
  return undefined
}

const WRITES = new Set(['PUT', 'PATCH', 'DELETE'])

/** Returns the value of an argument that names a record of the other tenant alone. */
async function foreignValue(run: Run, target: Target, name: string, { one, other }: Pair): Promise<string | undefined> {
  const path = collectionOf(target, name)
  const parents = async (caller: string): Promise<PathValues> => run.known.valuesFor({ ...target, path }, caller)
  const own = await run.known.ownRecords(path, one, await parents(one))
  const others = await run.known.ownRecords(path, other, await parents(other))
  const ids = new Set(own.map((record) => wordOf(argumentFor(name, record))))
  const words = others.map((record) => argumentFor(name, record)).filter((id) => id !== undefined).map(wordOf)
  return own.length === 0 || words.some((word) => ids.has(word)) ? undefined : words.at(-1)
}

/** Compares the replies to a request for a record of another tenant and to one for no record. */
async function compare(
  run: Run,
  target: Target,
  pair: Pair,
  [foreign, missing]: readonly [CheckRequest, CheckRequest],
): Promise<void> {
  const isRead = target.method === 'GET'
  const before = isRead ? '' : await viewOf(run, pair.other)
  const expected = await run.send(missing)
  const observed = await run.send(foreign)
  const isSame = signatureOf(expected, missing) === signatureOf(observed, foreign)
  const isChanged = !isRead && before !== await viewOf(run, pair.other)
  if (isChanged) await report(run, target, foreign, 'The caller changes a record of another tenant')
  else if (isSame || observed.status === 429 || expected.status === 429) return
  else if (observed.status < 300) await report(run, target, foreign, 'The caller reaches a record of another tenant')
  else {
    const message = `The reply tells that a record of another tenant exists: it is ${observed.status}, `
      + `and ${expected.status} for a record that does not exist`
    await report(run, target, foreign, message)
  }
  if (!isRead) run.known.forget()
}

/** Returns the content of a reply, without the id that the request has named. */
function signatureOf({ status, text, json }: Observed, { path }: CheckRequest): string {
  const { message, data, meta } = propertiesOf(json)
  const told = message === undefined
    ? text
    : JSON.stringify([message, data, (meta as { reason?: unknown } | null)?.reason])
  const ids = path.split('/').filter((segment) => /\d/.test(segment))
  return `${status} ${ids.reduce((rest, id) => rest.replaceAll(decodeURIComponent(id), ''), told)}`
}

/** Returns all that a caller can list, as one string. */
async function viewOf(run: Run, caller: string): Promise<string> {
  const lists = run.targets.filter(({ method, path, access, entry }) =>
    method === 'GET' && entry?.action === 'list' && pathNamesOf(path).length === 0 && isAdmitted(access[caller])
  )
  const texts: string[] = []
  for (const list of lists) texts.push((await run.send(readRequest(list, {}, caller))).text)
  return texts.join('\n')
}
