import { describe, expect, it } from 'vitest'
import { modules, typed } from '../../cli/typed.js'

describe('resourcery check', () => {
  it('prints the findings and exits with 1, or with 0 without any', async () => {
    const options = ['--skip', 'sums.show', '--budget', '30']
    const fine = { status: 0, out: expect.stringMatching(/^no findings in/) as string }
    expect(await typed('check', `${modules}failing.ts`, ...options)).toMatchObject(fine)
    const { status, out } = await typed('check', `${modules}failing.ts`, '--budget', '30', '--seed', '7')
    expect(status).toBe(1)
    expect(out).toContain('GET /sums/:of (sums.show): The reply is 500 Internal Server Error [failure]')
    expect(out).toContain('seed 7')
  })

  it('prints JSON with --json', async () => {
    const { out } = await typed('check', `${modules}failing.ts`, '--json', '--budget', '30')
    expect(JSON.parse(out)).toMatchObject({ seed: 1, routes: 2,
      findings: [{ kind: 'failure', route: 'GET /sums/:of' }] })
  })

  it('exits with 2 if it has sent no request, which is no result without findings', async () => {
    for (const options of [['--budget', '0.000001'], ['--skip', 'sums.show', '--skip', 'sums.list']]) {
      const { status, error } = await typed('check', `${modules}failing.ts`, ...options)
      expect([status, error]).toEqual([2, 'No request was sent. Raise --budget, or skip fewer routes.'])
    }
  })

  it('refuses options that are used wrongly', async () => {
    expect(await typed('check', `${modules}app.ts`, '--budget', 'long')).toMatchObject({ status: 2,
      error: '--budget takes a number, not long.' })
    expect(await typed('check', `${modules}app.ts`, '--tenants', 'ann')).toMatchObject({ status: 2,
      error: expect.stringContaining('none of `callers`') })
  })
})
