import { pathNamesOf } from '../../../core/index.js'
import { inAnyState } from './checking.js'
import { figuresOf, isAccepted, argumentFor, isAdmitted, recordsIn, wordOf, propertiesOf,
  type KnownRecord } from './collections.js'
import { isMember, memberOf, memberRequest, segmentsBelow } from './members.js'
import { checkOwnList, OWNER, OWNERS, type Shown } from './own-lists.js'
import type { Run } from './run.js'
import { encode } from './send.js'
import { SPELLINGS } from './spellings.js'
import { missingLike } from './tenant-pair.js'
import { queryOf, withArgument } from './url-cases.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Records of a resource that are asked for as each caller. */
const MOST_RECORDS = 12

/**
 * Checks that a record which does not exist for a caller can be neither changed nor read in parts, and that a caller
 * who lists own records alone is shown no other.
 */
export async function checkHiddenRecords(run: Run): Promise<void> {
  const all: Shown[] = []
  const lists = run.targets.filter(({ method, path }) => method === 'GET' && !path.includes(':'))
  for (const list of run.left(lists)) {
    const shown = await shownBy(run, list, memberOf(run, list.path, 'GET'))
    for (const caller of run.admitted(list)) await checkOwnList(shown, caller)
    all.push(shown)
  }
  for (const shown of all) {
    const { list, show = list } = shown
    const targets = run.targets.filter((target) => isOfRecord(target, list))
    for (const caller of run.left(run.admitted(show))) {
      await checkHidden(shown, caller, targets.filter(({ access }) => isAdmitted(access[caller])))
    }
  }
}

async function shownBy(run: Run, list: Target, show: Target | undefined): Promise<Shown> {
  const all = new Map<string, KnownRecord>()
  const whole = new Map<string, readonly KnownRecord[]>()
  for (const caller of run.admitted(list)) {
    const observed = await run.send(await run.valid(list, caller))
    const records = recordsIn(observed)
    for (const record of records) all.set(wordOf(record.id ?? record), record)
    if (isWhole(observed, records.length)) whole.set(caller, records)
  }
  return { run, list, show, all: [...all.values()], whole }
}

/** Returns true for a page after which there is no other. */
function isWhole(observed: Observed, count: number): boolean {
  const { total, limit, next } = figuresOf(observed)
  return observed.status === 200 && (next ?? null) === null
    && (total === undefined ? limit === undefined || count < Number(limit) : total === count)
}

/** Asks for more of a record that exists for others and not for this caller. */
async function checkHidden(shown: Shown, caller: string, targets: readonly Target[]): Promise<void> {
  const { run, list, show } = shown
  const [{ path } = list] = [show, ...targets].filter((target) => target !== undefined)
  const [, name = ''] = /^\/:(\w+)/.exec(path.slice(list.path.length)) ?? []
  const id = targets.length === 0 ? undefined : await hiddenId(shown, caller, name)
  if (id === undefined) return
  for (const target of targets) await checkTarget(shown, target, caller, id)
  run.known.forget()
}

/** Returns the id of a record that exists for others and not for a caller. */
async function hiddenId(shown: Shown, caller: string, name: string): Promise<string | undefined> {
  const { run, show, all, whole } = shown
  for (const id of run.left(idsOf(all, name))) {
    const isHidden = show === undefined
      ? whole.get(caller)?.every((record) => wordOf(argumentFor(name, record)) !== id) === true
      : await statusFor(run, show, caller, id) === 404 && await isShownToOther(run, show, caller, id)
    if (isHidden) return id
  }
  return undefined
}

/** Returns the ids of the first and the last of some records. */
function idsOf(records: readonly KnownRecord[], name: string): readonly string[] {
  const ids = records.map((record) => argumentFor(name, record)).filter((id) => id !== undefined).map(wordOf)
  return [...new Set([...ids.slice(0, MOST_RECORDS / 2), ...ids.slice(-MOST_RECORDS / 2)])]
}

/** Returns true for the changes of a record, and for what is done to it and read of it by a permission. */
function isOfRecord(target: Target, list: Target): boolean {
  if (['PUT', 'PATCH', 'DELETE'].includes(target.method) && isMember(target, list.path)) return true
  const rest = segmentsBelow(target, list.path)
  const isPart = rest.length > 0 && !rest.some((segment) => segment.startsWith(':'))
  return isPart && target.entry?.permission !== undefined
}

async function statusFor(run: Run, show: Target, caller: string, id: string): Promise<number> {
  return (await run.send(await memberRequest(run, show, caller, id))).status
}

async function isShownToOther(run: Run, show: Target, caller: string, id: string): Promise<boolean> {
  const others = run.admitted(show).filter((name) => name !== caller)
  for (const other of others) if (await statusFor(run, show, other, id) === 200) return true
  return false
}

async function checkTarget(shown: Shown, target: Target, caller: string, id: string): Promise<void> {
  const { run, list, show } = shown
  const [name = ''] = pathNamesOf(target.path)
  const made = await run.valid(target, caller)
  const requestFor = (word: string): CheckRequest =>
    inAnyState({ ...made, path: withArgument(target, made.path, name, encode(word)) })
  for (const way of waysTo(shown, target, caller)) {
    if (run.isKnown(target, 'access') || run.isOver()) return
    const request = way(requestFor(id))
    const observed = await run.send(request)
    if (!isAccepted(observed)) continue
    if (target.method !== 'GET') run.known.forget()
    const missing = await run.send(way(requestFor(missingLike(id))))
    if (isAccepted(missing) && !addsRecords(target, observed, missing)) return
    const what = show === undefined
      ? `that the list of the caller, GET ${list.path}, lacks`
      : `of which GET ${show.path} says that it does not exist`
    return run.record(target, { request, about: 'a record that is hidden from the caller' }, { kind: 'access',
      message: `The request is accepted for a record ${what}` })
  }
}

/** Returns true where a route for parts of a record, such as its payments, has some, and none for no record. */
function addsRecords({ method }: Target, observed: Observed, missing: Observed): boolean {
  return method === 'GET' && recordsIn(observed).length > 0 && recordsIn(missing).length === 0
}

type Way = (request: CheckRequest) => CheckRequest

/** Returns the ways in which a record is asked for: plainly, with flags, as its owner, by other spellings. */
function waysTo({ run, all }: Shown, target: Target, caller: string): readonly Way[] {
  const flags = queryOf(target).filter(({ schema }) => run.resolve(schema).type === 'boolean')
  const { id: callerId } = propertiesOf(run.sender.callers.get(caller))
  const ownNames = Object.keys(all[0] ?? {}).filter((name) => name !== 'id' && OWNER.test(name))
  const claims = [ownNames, OWNERS].filter((names) => callerId !== undefined && names.length > 0)
    .map((names) => Object.fromEntries(names.map((name) => [name, callerId])))
  const asOwner = claims.flatMap((claim) => [withFields(claim), withPairs(Object.entries(claim))])
  const spelled = SPELLINGS.map(([, change]): Way => (request) => ({ ...request, path: change(request.path) }))
  return [(request) => request, ...flags.map((flag) => withPairs([[flag.name, 'true']])), ...asOwner, ...spelled]
}

function withPairs(pairs: readonly (readonly [name: string, value: unknown])[]): Way {
  return (request) => ({ ...request,
    query: [...request.query, ...pairs.map(([name, value]) => [name, wordOf(value)] as const)] })
}

function withFields(fields: KnownRecord): Way {
  return (request) => {
    const { body } = request
    if (request.method === 'GET' || (body !== undefined && !('json' in body))) return request
    return { ...request, body: { json: { ...propertiesOf(body?.json), ...fields } } }
  }
}
