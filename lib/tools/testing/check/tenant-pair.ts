import { pathNamesOf } from '../../../core/index.js'
import { isAdmitted, recordsIn, wordOf, propertiesOf, type KnownRecord } from './collections.js'
import { reporter, type Run } from './run.js'
import type { Observed, Target } from './model.js'

/** Two callers of different tenants. */
export interface Pair {
  readonly run: Run
  /** The name of the caller whose requests are judged. */
  readonly one: string
  /** The name of the caller of whom these requests may not learn anything. */
  readonly other: string
}

/** Returns the routes of a method without arguments to which a caller is admitted. */
export function routesFor(run: Run, caller: string, method: string): Target[] {
  return run.targets.filter((target) =>
    target.method === method && pathNamesOf(target.path).length === 0 && isAdmitted(target.access[caller])
  )
}

/** Lists the records of a collection as both tenants. */
export async function bothRecords({ run, one, other }: Pair,
  path: string): Promise<readonly [own: readonly KnownRecord[], others: readonly KnownRecord[]]>
{
  return [await run.known.ownRecords(path, one), await run.known.ownRecords(path, other)]
}

/** Returns true for a collection in which both tenants have records, and none of them is the same. */
export async function isDivided(pair: Pair, path: string): Promise<boolean> {
  const [own, others] = await bothRecords(pair, path)
  const ids = new Set(own.map(keyOf))
  return own.length > 0 && others.length > 0 && others.every((record) => !ids.has(keyOf(record)))
}

function keyOf(record: KnownRecord): string {
  return wordOf(record.id ?? record)
}

/** Returns a value of the same form that names no record. */
export function missingLike(value: string): string {
  if (/^\d+$/.test(value)) return '2000000007'
  return /^[\da-f]{8}-/i.test(value) ? '00000000-0000-4000-8000-000000000000' : `${value.slice(0, -2)}zzq`
}

/** Claims that name no tenant. */
const PERSONAL = new Set(['app', 'id', 'role', 'roles', 'permissions', 'name', 'email'])

/** Returns the claims of the other tenant that differ, such as its `tenantId`. */
export function differentClaims({ run, one, other }: Pair): (readonly [string, unknown])[] {
  const own = propertiesOf(run.sender.callers.get(one))
  return Object.entries(propertiesOf(run.sender.callers.get(other))).filter(([name, value]) =>
    !PERSONAL.has(name) && (typeof value === 'string' || typeof value === 'number') && own[name] !== undefined
    && own[name] !== value
  )
}

/** Returns true for a reply with one of these strings, or with a record that has a claim of the other tenant. */
export function isForeign(pair: Pair, observed: Observed, texts: readonly string[]): boolean {
  const claims = differentClaims(pair)
  return texts.some((text) => observed.text.includes(text))
    || recordsIn(observed).some((record) => claims.some(([name, value]) => record[name] === value))
}

export const report = reporter('tenant', 'a record of another tenant')
