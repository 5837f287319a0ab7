import { pathNamesOf } from '../../../core/index.js'
import { tenantOf } from './claimed-headers.js'
import { isAccepted, type KnownRecord } from './collections.js'
import { recordOf } from './members.js'
import { variantOf } from './round-values.js'
import type { Run } from './run.js'
import { report, type Pair } from './tenant-pair.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** A route that changes what each tenant has once, such as its settings, and the one that shows it. */
interface Single extends Pair {
  readonly target: Target
  readonly show: Target
}

/** Changes what each tenant has once, as both of them: neither may be shown, or have, what the other has sent. */
export async function checkSingles({ run, ...pair }: Pair): Promise<void> {
  for (const target of run.left(run.targets.filter(({ method }) => method === 'PATCH' || method === 'PUT'))) {
    const show = pathNamesOf(target.path).length > 0 ? undefined : run.known.listAt(target.path)
    const [one, other] = [writerOf(run, pair.one, target, show), writerOf(run, pair.other, target, show)]
    if (show === undefined || one === undefined || other === undefined) continue
    await checkSingle({ run, one, other, target, show })
  }
}

/** Returns the caller of a tenant, or another one of the same tenant, whom both routes admit. */
function writerOf(run: Run, name: string, target: Target, show: Target | undefined): string | undefined {
  const callers = run.admitted(target, show)
  const tenant = tenantOf(run, name)
  if (callers.includes(name)) return name
  return callers.find((caller) => tenant !== undefined && tenantOf(run, caller) === tenant)
}

/** Sends a string in the first field that takes one, and shows it. */
async function checkSingle(single: Single): Promise<void> {
  const { run, target } = single
  const plan = bodyPlanOf(target, run.resolve)
  for (const [name, { schema }] of plan === undefined || plan.isForm ? [] : plan.fields) {
    const number = run.known.next()
    const [sent, own] = [0, 1].map((round) => variantOf(name, schema, run.resolve, { round, number: number + round }))
    const isString = typeof sent === 'string' && typeof own === 'string' && sent !== own
    if (isString && await checkField(single, { name, sent, own })) return
  }
}

/** A field, what the other tenant sends in it, and what the own one sends after it. */
type Sent = Readonly<Record<'name' | 'sent' | 'own', string>>

/** Returns true if both tenants could change the field. */
async function checkField({ run, one, other, target, show }: Single, { name, sent, own }: Sent): Promise<boolean> {
  const valueFor = async (caller: string): Promise<unknown> =>
    recordOf(await run.send(await run.valid(show, caller)))?.[name]
  const before = await valueFor(one)
  const request = await changeAs(run, target, other, { [name]: sent })
  if (!isAccepted(await run.send(request)) || await valueFor(other) !== sent) return false
  const after = await valueFor(one)
  if (!isAccepted(await run.send(await changeAs(run, target, one, { [name]: own })))) return false
  // First as the other tenant: where each has its own, a reply that is kept for both is that one.
  const [foreign, shown] = [await valueFor(other), await valueFor(one)]
  if (foreign === sent && shown === sent) {
    await report(run, show, await run.valid(show, one), 'The reply is kept for all tenants: it is that of another one')
  } else if (foreign === own && before !== sent && after === sent) {
    await report(run, target, request, 'The request changes what another tenant has, too')
  }
  return true
}

async function changeAs(run: Run, target: Target, caller: string, fields: KnownRecord): Promise<CheckRequest> {
  const made = await run.valid(target, caller, fields)
  return { ...made, headers: { ...made.headers, 'if-match': '*' },
    ...(target.method === 'PATCH' && { body: { json: fields } }) }
}
