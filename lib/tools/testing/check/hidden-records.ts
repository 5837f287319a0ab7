import { argumentFor, isAdmitted, recordsIn, wordOf, type KnownRecord } from './known.js'
import { memberRequest, recordOf } from './members.js'
import type { Run } from './run.js'
import { encode } from './send.js'
import { missingLike } from './tenant-pair.js'
import { queryOf, withArgument } from './url-cases.js'
import { isAccepted } from './sessions.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Records of a resource that are asked for as each caller. */
const MOST_RECORDS = 12

/** A resource whose records are listed and shown. */
interface Shown {
  readonly run: Run
  readonly show: Target
  /** The records that any caller has listed. */
  readonly all: readonly KnownRecord[]
  /** The list of each caller who gets all of it at once. */
  readonly whole: ReadonlyMap<string, readonly KnownRecord[]>
}

/**
 * Checks that a record which does not exist for a caller can be neither changed nor read in parts, and that a caller
 * who lists own records alone is shown no other.
 */
export async function checkHiddenRecords(run: Run): Promise<void> {
  for (const show of run.targets.filter(({ method, path }) => method === 'GET' && /\/:[^/]+$/.test(path))) {
    if (run.isOver()) return
    const shown = await shownBy(run, show)
    if (shown === undefined) continue
    for (const caller of run.sender.callers.keys()) {
      if (!isAdmitted(show.access[caller])) continue
      await checkOwnList(shown, caller)
      await checkHidden(shown, caller)
    }
  }
}

async function shownBy(run: Run, show: Target): Promise<Shown | undefined> {
  const list = run.known.listAt(show.path.replace(/\/:[^/]+$/, ''))
  if (list === undefined || list.path.includes(':')) return undefined
  const all = new Map<string, KnownRecord>()
  const whole = new Map<string, readonly KnownRecord[]>()
  for (const caller of run.sender.callers.keys()) {
    if (!isAdmitted(list.access[caller])) continue
    const observed = await run.send((await run.known.maker(list, caller))())
    const records = recordsIn(observed)
    for (const record of records) all.set(wordOf(record.id ?? record), record)
    if (isWhole(observed, records.length)) whole.set(caller, records)
  }
  return { run, show, all: [...all.values()], whole }
}

/** Returns true for a page after which there is no other. */
function isWhole({ status, json }: Observed, count: number): boolean {
  const { total, limit, next } = Object((Object(json) as { readonly meta?: unknown }).meta) as Figures
  return status === 200 && (next ?? null) === null
    && (total === undefined ? limit === undefined || count < Number(limit) : total === count)
}

type Figures = Readonly<Partial<Record<'total' | 'limit' | 'next', unknown>>>

/** Fields that name the user to whom a record belongs. */
const OWNER = /^(?:owner|user|member|author|customer|client|creator|account|createdby|created_by)(?:_?id)?$/i

/** Fields by which an owner shares a record, and their values. */
const SHARED = /^(?:public|published|shared|visible|open|active)$/i

/** Asks for the records of others, as a caller whose list has own records alone. */
async function checkOwnList({ run, show, all, whole }: Shown, caller: string): Promise<void> {
  const own = whole.get(caller) ?? []
  const { id: callerId } = Object(run.sender.callers.get(caller)) as { readonly id?: unknown }
  const others = all.filter((record) => !own.some(({ id }) => id === record.id))
  const owner = callerId === undefined ? undefined : ownerIn(own, others, callerId)
  if (owner === undefined) return
  for (const record of others.filter((other) => other.id !== undefined && !isShared(other)).slice(0, 3)) {
    if (run.isKnown(show, 'access')) return
    const request = await memberRequest(run, show, caller, record.id)
    const shown = recordOf(await run.send(request))
    if (shown === undefined || shown.id !== record.id || shown[owner] === callerId) continue
    await run.record(show, { request, about: 'a record of another user' }, { kind: 'access',
      message: `The record is shown to a caller whose list has only records with the own \`${owner}\`` })
  }
}

/** Returns the field that has the id of the caller in all own records, and another one in those of others. */
function ownerIn(own: readonly KnownRecord[], others: readonly KnownRecord[], callerId: unknown): string | undefined {
  return ['id', ...Object.keys(own[0] ?? {}).filter((name) => OWNER.test(name))].find((name) =>
    own.length > 0 && own.every((record) => record[name] === callerId)
    && others.some((record) => record[name] !== callerId)
  )
}

function isShared(record: KnownRecord): boolean {
  return Object.entries(record).some(([name, value]) =>
    SHARED.test(name) ? value === true : typeof value === 'string' && SHARED.test(value)
  )
}

/** Asks for more of the records that are shown to others and not to this caller. */
async function checkHidden(shown: Shown, caller: string): Promise<void> {
  const { run, show, all } = shown
  const targets = run.targets.filter((target) => isAdmitted(target.access[caller]) && isOfRecord(target, show))
  if (targets.length === 0) return
  for (const id of idsOf(all, argumentOf(show))) {
    if (run.isOver()) return
    if ((await readAs(shown, caller, id)).status !== 404 || !await isShownToOther(shown, caller, id)) continue
    for (const target of targets) await checkTarget(shown, target, caller, id)
    return
  }
}

/** Returns the ids of the first and the last of some records. */
function idsOf(records: readonly KnownRecord[], name: string): readonly string[] {
  const ids = records.map((record) => argumentFor(name, record)).filter((id) => id !== undefined).map(wordOf)
  return [...new Set([...ids.slice(0, MOST_RECORDS / 2), ...ids.slice(-MOST_RECORDS / 2)])]
}

function argumentOf({ path }: Target): string {
  return path.slice(path.lastIndexOf(':') + 1)
}

/** Returns true for the changes of a record, and for what is read of it by the permission of the resource. */
function isOfRecord(target: Target, show: Target): boolean {
  if (['PUT', 'PATCH', 'DELETE'].includes(target.method) && target.path === show.path) return true
  const isPart = target.path.startsWith(`${show.path}/`) && !target.path.slice(show.path.length).includes(':')
  return target.method === 'GET' && isPart && target.entry?.permission !== undefined
}

async function readAs({ run, show }: Shown, caller: string, id: string): Promise<Observed> {
  return run.send(await memberRequest(run, show, caller, id))
}

async function isShownToOther(shown: Shown, caller: string, id: string): Promise<boolean> {
  for (const other of shown.run.sender.callers.keys()) {
    if (other === caller || !isAdmitted(shown.show.access[other])) continue
    if ((await readAs(shown, other, id)).status === 200) return true
  }
  return false
}

async function checkTarget(shown: Shown, target: Target, caller: string, id: string): Promise<void> {
  const { run, show } = shown
  const name = argumentOf(show)
  const made = (await run.known.maker(target, caller))()
  const requestFor = (word: string, query: CheckRequest['query']): CheckRequest => ({ ...made,
    path: withArgument(target, made.path, name, encode(word)), query: [...made.query, ...query],
    headers: { ...made.headers, ...(target.method !== 'GET' && { 'if-match': '*' }) } })
  const flags = queryOf(target).filter(({ schema }) => run.resolve(schema).type === 'boolean')
  for (const query of [[], ...flags.map((flag) => [[flag.name, 'true']] as const)]) {
    if (run.isKnown(target, 'access') || run.isOver()) return
    const request = requestFor(id, query)
    if (!isAccepted(await run.send(request))) continue
    if (target.method !== 'GET') run.known.forget()
    if (isAccepted(await run.send(requestFor(missingLike(id), query)))) return
    await run.record(target, { request, about: 'a record that is hidden from the caller' }, { kind: 'access',
      message: `The request is accepted for a record of which GET ${show.path} says that it does not exist` })
    return
  }
}
