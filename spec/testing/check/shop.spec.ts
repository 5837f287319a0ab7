import { describe, expect, it, onTestFinished } from 'vitest'
import { checkApi, type CheckReport, type RequestExample } from 'resourcery/testing'
import { isNightly } from '../../support/nightly.js'
import { SIGN_IN } from './shop/accounts.js'
import { SECRET } from './shop/replies.js'
import { PARTS, shopApp, type Part } from './shop/shop-app.js'
import { BORDER_FAULTS, borderApp } from './shop/tenants.js'
import { ENTRY } from './shop/workflows.js'

const callers = { admin: { id: 1, role: 'admin' }, user: { id: 2, role: 'user', houseId: 71 } }

/** Seconds of a run: what is planted takes longer to find than it takes to see that nothing is. */
function budgetOf(planted: number): number {
  const seconds = isNightly ? 30 + 2 * planted : 10 + 1.5 * planted
  return Number(process.env.CHECK_SECONDS ?? seconds)
}

/** The requests that no schema tells, by the part that has their route. */
const EXAMPLES: Partial<Record<Part, Readonly<Record<string, RequestExample>>>> = {
  accounts: { 'POST /session': SIGN_IN },
  workflows: { 'POST /door/enter/login': ENTRY },
}

async function check(part: Part, faults: readonly string[]): Promise<CheckReport> {
  const { app, snapshot, close } = await shopApp([part], faults)
  onTestFinished(close)
  return checkApi(app, { callers, snapshot, secrets: [SECRET], examples: EXAMPLES[part] ?? {},
    budget: budgetOf(faults.length), timeout: 2 })
}

/** Declares a test for each planted fault; all of them are planted at once. */
function describeFaults(
  planted: Readonly<Record<string, string>>,
  run: (faults: readonly string[]) => Promise<CheckReport>,
): void {
  it('finds nothing without faults', async () => {
    const report = await run([])
    expect(report.findings, String(report)).toEqual([])
  })

  describe('with faults', () => {
    let report: Promise<CheckReport> | undefined
    const routes = new Set(Object.values(planted))
    it.each(Object.entries(planted))('finds %s at %s', async (_, route) => {
      report ??= run(Object.keys(planted))
      const found = await report
      expect(found.findings.some((one) => one.route === route), String(found)).toBe(true)
    })

    it('blames no other route', async () => {
      report ??= run(Object.keys(planted))
      const others = (await report).findings.filter((one) => !routes.has(one.route))
      expect(others.map(({ route, kind, message }) => `${route}: ${message} [${kind}]`)).toEqual([])
    })
  })
}

const tenants = { ann: { id: 1, role: 'seller', tenantId: 'north' }, ben: { id: 2, role: 'seller', tenantId: 'south' } }

function describePart(part: Part): void {
  describe(`checkApi on the ${part} of a shop`, () => describeFaults(PARTS[part], (faults) => check(part, faults)))
}

function describeTenants(): void {
  describe('checkApi on a shop of two tenants', () =>
    describeFaults(BORDER_FAULTS, (faults) =>
      checkApi(borderApp((fault) => faults.includes(fault)), {
        callers: tenants,
        tenants: ['ann', 'ben'],
        budget: budgetOf(faults.length),
        timeout: 2,
      })))
}

// Without NIGHTLY one part is tested; `.ci/nightly` tests all of them.
describePart('workflows')
if (isNightly) {
  describePart('data')
  describePart('accounts')
  describePart('replies')
  describePart('access')
  describePart('identity')
  describePart('products')
  describePart('records')
  describeTenants()
}
