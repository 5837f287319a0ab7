import { isAccepted, isAdmitted, recordsIn, wordOf, propertiesOf, type KnownRecord } from './collections.js'
import { memberRequest, recordOf } from './members.js'
import { reporter, type Run } from './run.js'
import { queryOf, withQuery } from './url-cases.js'
import type { Target } from './model.js'

/** A resource whose records are listed. */
export interface Shown {
  readonly run: Run
  readonly list: Target
  /** The route that shows one record; without one, a record exists for those who list it. */
  readonly show: Target | undefined
  /** The records that any caller has listed. */
  readonly all: readonly KnownRecord[]
  /** The list of each caller who gets all of it at once. */
  readonly whole: ReadonlyMap<string, readonly KnownRecord[]>
}

/** Fields that name the user to whom a record belongs. */
export const OWNER = /^(?:owner|user|member|author|customer|client|creator|account|createdby|created_by)(?:_?id)?$/i

/** Fields by which programs that trust a request tend to tell an owner. */
export const OWNERS = ['userId', 'ownerId', 'memberId', 'authorId', 'customerId', 'accountId', 'createdBy']

/** Claims that say more of a caller than to whom its records belong. */
const PERSONAL = new Set(['role', 'name', 'email', 'app', 'session'])

/** Fields by which an owner shares a record, and their values. */
const SHARED = /^(?:public|published|shared|visible|open|active)$/i

/** Records of others that are asked for. */
const MOST_RECORDS = 3

/** Asks for the records of others, as a caller whose list has own records alone. */
export async function checkOwnList(shown: Shown, caller: string): Promise<void> {
  const { show, all, whole } = shown
  const own = whole.get(caller) ?? []
  const others = all.filter((record) => !own.some(({ id }) => id === record.id))
  const owner = ownerIn(shown, caller, own, others)
  if (owner !== undefined) {
    const foreign = others.filter((record) => record[owner.name] !== owner.value && !isShared(record))
    if (show !== undefined) await checkShown(shown, show, caller, { ...owner, foreign })
    await checkQueries(shown, caller, { ...owner, foreign })
  } else if (whole.has(caller)) await checkQueries(shown, caller)
  if (show !== undefined) await checkOpen(shown, show, caller)
}

/** The field that has the same claim of the caller in all own records. */
interface Owner {
  readonly name: string
  readonly value: unknown
}

/** Returns the field that has a claim of the caller in all own records, and another value in those of others. */
function ownerIn(shown: Shown, caller: string, own: readonly KnownRecord[], others: readonly KnownRecord[]):
  | Owner
  | undefined
{
  const claims = propertiesOf(shown.run.sender.callers.get(caller))
  const names = ['id', ...Object.keys(own[0] ?? {}).filter((name) => name !== 'id')]
  const owners = names.flatMap((name): Owner[] => {
    const value = name === 'id' || OWNER.test(name) ? claims.id : undefined
    const values = [value, PERSONAL.has(name) || name === 'id' ? undefined : claims[name]]
    return values.filter((one) => one !== undefined && one !== null).map((one) => ({ name, value: one }))
  })
  return owners.find(({ name, value }) =>
    own.length > 0 && own.every((record) => record[name] === value) && others.some((record) => record[name] !== value)
  ) ?? dividerIn(shown, caller)
}

/** Claims by which lists are divided for other reasons than an owner. */
const GROUPS = new Set(['id', 'role', 'name', 'app', 'session'])

/** Returns a field of any name that has, in the lists of all callers, the id or the same claim of each. */
function dividerIn({ run, whole }: Shown, caller: string): Owner | undefined {
  const lists = [...whole].filter(([, records]) => records.length > 0)
  const claimOf = (who: string, claim: string): unknown => propertiesOf(run.sender.callers.get(who))[claim]
  const names = Object.keys(whole.get(caller)?.[0] ?? {}).filter((name) => !GROUPS.has(name))
  const pairs = names.flatMap((name) => ['id', name].map((claim) => [name, claim] as const))
  const found = pairs.find(([name, claim]) =>
    new Set(lists.map(([who]) => claimOf(who, claim))).size > 1
    && lists.every(([who, records]) => {
      const value = claimOf(who, claim)
      return value !== undefined && records.every((record) => record[name] === value)
    })
  )
  return found && { name: found[0], value: claimOf(caller, found[1]) }
}

function isShared(record: KnownRecord): boolean {
  return Object.entries(record).some(([name, value]) =>
    SHARED.test(name) ? value === true : typeof value === 'string' && SHARED.test(value)
  )
}

interface Foreign extends Owner {
  readonly foreign: readonly KnownRecord[]
}

async function checkShown({ run }: Shown, show: Target, caller: string,
  { name, value, foreign }: Foreign): Promise<void>
{
  if (!isAdmitted(show.access[caller])) return
  for (const record of foreign.filter(({ id }) => id !== undefined).slice(0, MOST_RECORDS)) {
    if (run.isKnown(show, 'access')) return
    const request = await memberRequest(run, show, caller, record.id)
    const found = recordOf(await run.send(request))
    if (found === undefined || found.id !== record.id || found[name] === value) continue
    await report(run, show, request,
      `The record is shown to a caller whose list has only records with the own \`${name}\``)
  }
}

/** Asks a whole list for the records of other callers: a parameter leaves records out, and adds none. */
async function checkQueries({ run, list, show, whole }: Shown, caller: string, owner?: Foreign): Promise<void> {
  const ids = new Set(whole.get(caller)?.map(({ id }) => id))
  const made = await run.valid(list, caller)
  for (const [name, value] of run.left(ownersFor(run, list, caller, owner))) {
    if (run.isKnown(list, 'access')) return
    const request = withQuery(made, name, wordOf(value))
    const found = recordsIn(await run.send(request)).find(({ id }) => id !== undefined && !ids.has(id))
    if (found === undefined || await isShown(run, show, caller, found.id)) continue
    const again = recordsIn(await run.send(made))
    if (again.some(({ id }) => id === found.id)) return
    await report(run, list, request, `\`${name}\` adds records of others to the list, which it lacks otherwise`)
  }
}

/** Returns parameters that name another owner: those that the document has and usual ones. */
function ownersFor(run: Run, list: Target, caller: string, owner: Foreign | undefined): (readonly [string, unknown])[] {
  const own = propertiesOf(run.sender.callers.get(caller))
  const declared = queryOf(list).map(({ name }) => name)
  const names = declared.filter((name) => !PERSONAL.has(name) && name !== 'id')
  const pairs = [...run.sender.callers.values()].flatMap((other) => {
    const claims = propertiesOf(other)
    return names.map((name) => [name, claims[name] ?? (OWNER.test(name) ? claims.id : undefined)] as const)
  })
  const value = owner?.foreign.map((record) => record[owner.name]).find((one) => one !== undefined && one !== null)
  const usual = owner === undefined || owner.name === 'id'
    ? []
    : [owner.name, ...OWNERS].map((name) => [name, value] as const)
  const foreign = declared.includes('ids') ? owner?.foreign[0]?.id : undefined
  return [...pairs, ...usual, ['ids', foreign] as const].filter(([name, one]) =>
    one !== undefined && one !== null && one !== own[name]
  )
}

async function isShown(run: Run, show: Target | undefined, caller: string, id: unknown): Promise<boolean> {
  return show !== undefined && isAccepted(await run.send(await memberRequest(run, show, caller, id)))
}

/** Compares a list without a permission with the records that a permission keeps from the caller. */
async function checkOpen({ run, list }: Shown, show: Target, caller: string): Promise<void> {
  const isOpen = list.entry !== undefined && list.entry.permission === undefined
  const reader = run.admitted(show)[0]
  if (!isOpen || reader === undefined || typeof show.access[caller] !== 'number') return
  const request = await run.valid(list, caller)
  const [record] = recordsIn(await run.send(request))
  if (record?.id === undefined) return
  const whole = recordOf(await run.send(await memberRequest(run, show, reader, record.id)))
  if (whole === undefined || !isSame(whole, record)) return
  await report(run, list, request, `The list has whole records, which GET ${show.path} keeps from the caller`)
}

function isSame(one: KnownRecord, other: KnownRecord): boolean {
  const names = Object.keys(one)
  return names.length > 1 && names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}

const report = reporter('access', 'a record of another user')
