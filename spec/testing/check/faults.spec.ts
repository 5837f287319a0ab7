import { describe, expect, it } from 'vitest'
import { checkApi, type CheckReport } from 'resourcery/testing'
import { SECONDS } from './seconds.js'
import { TENANT_FAULTS, tenantApp, type TenantFault } from './tenant-app.js'
import { FAULTS, faultyApp, FORBIDDEN_SECRET, type FaultName } from './faulty-app.js'

const callers = { boss: { id: 1, role: 'boss' }, clerk: { id: 2, role: 'clerk' } }
/** Seconds of a run: what is planted takes longer to find than it takes to see that nothing is. */
const budgetOf = (planted: number): number =>
  Number(process.env.CHECK_SECONDS ?? (planted === 0 ? SECONDS : 20 + 2 * planted))

function check(faults: readonly FaultName[]): Promise<CheckReport> {
  const { app, snapshot } = faultyApp(new Set(faults))
  return checkApi(app, { callers, snapshot, secrets: [FORBIDDEN_SECRET], budget: budgetOf(faults.length), timeout: 2 })
}

describe('checkApi on an app with planted faults', () => {
  it('finds nothing in the app without them', async () => {
    const report = await check([])
    expect(report.findings, String(report)).toEqual([])
  })

  it('reports each with its route and kind', async () => {
    const planted = Object.keys(FAULTS) as FaultName[]
    const { findings } = await check(planted)
    const missed = planted.filter((name) => {
      const [route, kind] = FAULTS[name]
      return !findings.some((one) => one.route === route && one.kind === kind)
    })
    expect(planted.length - missed.length, missed.join()).toBeGreaterThanOrEqual(planted.length - 1)
  })
})

describe('checkApi on an app of tenants with planted faults', () => {
  const tenants = { ann: { id: 1, role: 'member', tenantId: 'one' }, ben: { id: 2, role: 'member', tenantId: 'two' } }
  const planted = Object.keys(TENANT_FAULTS) as TenantFault[]
  const checkTenants = (faults: readonly TenantFault[]): Promise<CheckReport> =>
    checkApi(tenantApp(faults), { callers: tenants, tenants: ['ann', 'ben'], budget: budgetOf(faults.length) })

  it('finds nothing in the app without them', async () => {
    const report = await checkTenants([])
    expect(report.findings, String(report)).toEqual([])
  })

  it('reports each with its route', async () => {
    const { findings } = await checkTenants(planted)
    const routes = new Set(findings.filter(({ kind }) => kind === 'tenant').map(({ route }) => route))
    expect(planted.filter((name) => !routes.has(TENANT_FAULTS[name]))).toEqual([])
  })
})
