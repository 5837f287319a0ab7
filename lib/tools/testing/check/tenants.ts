import { pathNamesOf } from '../../../core/index.js'
import { tenantHeaders, withHeaders } from './claimed-headers.js'
import { isAccepted, argumentFor, collectionOf, isAdmitted, pathOf, readRequest, recordsIn, wordOf, propertiesOf,
  type KnownRecord } from './collections.js'
import { memberOf } from './members.js'
import type { Run } from './run.js'
import { differentClaims, isDivided, isForeign, missingLike, report, routesFor, type Pair } from './tenant-pair.js'
import { checkAssignments } from './tenant-claims.js'
import { checkQueries } from './tenant-queries.js'
import { checkShown } from './tenant-shown.js'
import { checkSingles } from './tenant-singles.js'
import { checkWrites } from './tenant-writes.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks that the callers of different tenants learn nothing of each other's rows. */
export async function checkTenants(run: Run): Promise<void> {
  const { tenants } = run.settings
  for (const tenant of tenants) await addRecords(run, tenant)
  for (const [index, one] of tenants.entries()) {
    const pair = { run, one, other: tenants[(index + 1) % tenants.length] ?? one }
    await checkSingles(pair)
    await checkReads(pair)
    await checkWrites(pair)
    await checkAssignments(pair)
    for (const target of run.left()) await checkPaths(pair, target)
  }
}

/** Creates a record in each collection in which a tenant may, so that each tenant has some. */
async function addRecords(run: Run, tenant: string): Promise<void> {
  const collections = run.targets.filter((target) =>
    target.method === 'POST' && isAdmitted(target.access[tenant]) && run.known.listAt(target.path) !== undefined
  )
  const sorted = collections.sort((one, other) => one.path.length - other.path.length)
  for (const target of run.left(sorted.flatMap((one) => [one, one]))) {
    await run.send(await run.valid(target, tenant))
    run.known.forget()
  }
}

/** Compares what each route without arguments tells a tenant with what belongs to another. */
async function checkReads(pair: Pair): Promise<void> {
  const { run, one } = pair
  const reads = run.targets.filter(({ method, path, access, entry }) =>
    (method === 'GET' || entry?.produces !== undefined) && pathNamesOf(path).length === 0 && isAdmitted(access[one])
  )
  const lists = reads.filter(({ method }) => method === 'GET')
  const foreign = await foreignStrings(pair, lists)
  for (const target of run.left(reads)) {
    const request = await run.valid(target, one)
    const observed = await run.send(request)
    if (isForeign(pair, observed, foreign) || await listsUnreadable(pair, target, observed)) {
      await report(run, target, request, 'The reply contains data of another tenant')
    }
  }
  await checkQueries(pair, foreign)
  await checkShown(pair, lists, foreign)
}

/** Returns strings of records that only the other tenant can list, as they stand in JSON and in CSV. */
async function foreignStrings(pair: Pair, lists: readonly Target[]): Promise<string[]> {
  const { run, one, other } = pair
  const [own, others] = [new Set<string>(), new Set<string>()]
  for (const { path } of lists) {
    const hasOthers = await isDivided(pair, path)
    for (const text of textsOf(await run.known.allRecords(path, one))) own.add(text)
    if (!hasOthers) continue
    for (const text of textsOf(await run.known.ownRecords(path, other))) others.add(text)
  }
  return [...others].filter((text) => ![...own].some((known) => known.includes(text)))
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
async function listsUnreadable({ run, one, other }: Pair, list: Target, observed: Observed): Promise<boolean> {
  const show = memberOf(run, list.path, 'GET')
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
async function checkPaths(pair: Pair, target: Target): Promise<void> {
  const { run, one } = pair
  for (const name of isAdmitted(target.access[one]) ? pathNamesOf(target.path) : []) {
    const foreign = await foreignValue(pair, target, name)
    if (foreign === undefined) continue
    const make = await run.known.maker(target, one)
    const values = await run.known.valuesFor(target, one)
    const request = make()
    const withValue = (value: string): CheckRequest => ({
      ...request,
      headers: { ...request.headers, ...(WRITES.has(target.method) && { 'if-match': '*' }) },
      path: pathOf(target, { ...values, [name]: value }),
    })
    await compare(pair, target, withValue(foreign), withValue(missingLike(foreign)))
    await checkHeaders(pair, target, withValue(foreign))
  }
}

/** Names the other tenant in headers, too: of what it says itself nothing may be believed. */
async function checkHeaders(pair: Pair, target: Target, request: CheckRequest): Promise<void> {
  const { run } = pair
  if (run.isKnown(target, 'tenant') || run.isKnown(target, 'access') || isAccepted(await run.send(request))) return
  for (const [, claim] of differentClaims(pair)) {
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
async function foreignValue({ run, one, other }: Pair, target: Target, name: string): Promise<string | undefined> {
  const path = collectionOf(target, name)
  const idsOf = async (caller: string): Promise<unknown[]> => {
    const records = await run.known.ownRecords(path, caller, await run.known.valuesFor({ ...target, path }, caller))
    return records.map((record) => argumentFor(name, record))
  }
  const [own, others] = [await idsOf(one), await idsOf(other)]
  const words = others.filter((id) => id !== undefined).map(wordOf)
  const isShared = own.map(wordOf).some((word) => words.includes(word))
  return own.length === 0 || isShared ? undefined : words.at(-1)
}

/** Compares the replies to a request for a record of another tenant and to one for no record. */
async function compare({ run, other }: Pair, target: Target, foreign: CheckRequest,
  missing: CheckRequest): Promise<void>
{
  const isRead = target.method === 'GET'
  const before = isRead ? '' : await viewOf(run, other)
  const expected = await run.send(missing)
  const observed = await run.send(foreign)
  const isSame = signatureOf(expected, missing) === signatureOf(observed, foreign)
  const isChanged = !isRead && before !== await viewOf(run, other)
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
  const told = message === undefined ? text : JSON.stringify([message, data, propertiesOf(meta).reason])
  const ids = path.split('/').filter((segment) => /\d/.test(segment))
  return `${status} ${ids.reduce((rest, id) => rest.replaceAll(decodeURIComponent(id), ''), told)}`
}

/** Returns all that a caller can list, as one string. */
async function viewOf(run: Run, caller: string): Promise<string> {
  const texts: string[] = []
  for (const list of routesFor(run, caller, 'GET').filter(({ entry }) => entry?.action === 'list')) {
    texts.push((await run.send(readRequest(list, {}, caller))).text)
  }
  return texts.join('\n')
}
