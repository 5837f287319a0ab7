import { wordOf, propertiesOf, type KnownRecord } from './collections.js'
import type { Run } from './run.js'
import type { CheckRequest, Target } from './model.js'

/** Two callers of different tenants. */
export interface Pair {
  /** The name of the caller whose requests are judged. */
  readonly one: string
  /** The name of the caller of whom these requests may not learn anything. */
  readonly other: string
}

/** Returns true for a collection in which both tenants have records, and none of them is the same. */
export async function isDivided(run: Run, path: string, { one, other }: Pair): Promise<boolean> {
  const [own, others] = [await run.known.ownRecords(path, one), await run.known.ownRecords(path, other)]
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
export function differentClaims(run: Run, { one, other }: Pair): (readonly [string, unknown])[] {
  const [own, others] = [run.sender.callers.get(one), run.sender.callers.get(other)].map((caller) =>
    propertiesOf(caller)
  )
  return Object.entries(others ?? {}).filter(([name, value]) =>
    !PERSONAL.has(name) && (typeof value === 'string' || typeof value === 'number') && own?.[name] !== undefined
    && own[name] !== value
  )
}

/** Records a finding about two tenants. */
export async function report(run: Run, target: Target, request: CheckRequest, message: string): Promise<void> {
  await run.record(target, { request, about: 'a record of another tenant' }, { kind: 'tenant', message })
}
