import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from '../../lib/tools/cli/run.js'

async function examine(name: string, ...options: string[]): Promise<{ readonly status: number; readonly out: string }> {
  const module = fileURLToPath(new URL(`modules/${name}.ts`, import.meta.url))
  const out: string[] = []
  const status = await run(['doctor', module, ...options], (text) => out.push(text), (text) => out.push(text),
    (url) => import(url) as Promise<object>)
  return { status, out: out.join('\n') }
}

interface Diagnosis {
  readonly findings: readonly { readonly code: string; readonly message: string; readonly page: string }[]
}

describe('resourcery doctor', () => {
  it('finds each mistake, with a code and a page, and exits with 1', async () => {
    const { status, out } = await examine('careless', '--json')
    const { findings } = JSON.parse(out) as Diagnosis
    const found = findings.map(({ code, message }) => [code, message.split(/[,:.] /)[0]])
    expect([status, found]).toEqual([1, [
      ['error_handler_missing', 'The app has no error handler'],
      ['not_found_missing', 'Nothing answers unknown paths'],
      ['trust_proxy_all', '`trust proxy` is true'],
      ['guard_missing', "No `auth('shop')` was found in front of GET /orders and its like"],
      ['guard_missing', "No `permission('shop')` was found in front of GET /orders and its like"],
      ['handler_undeclared', "GET /desk/by-hand is after `permission('desk')`"],
      ['secret_guessable', "The secret of `auth('desk')` reads like a placeholder"],
      ['grant_dead', "`permission('desk')` grants `desk.ticket.close` to the role `clerk`"],
    ]])
    for (const { page } of findings) expect(page).toMatch(/^docs\/[a-z-]+\.md/)
  })

  it('prints the findings line by line, and counts them', async () => {
    const { out } = await examine('careless')
    expect(out).toContain('trust_proxy_all: `trust proxy` is true, so each client can set its own address')
    expect(out.split('\n').at(-1)).toBe('8 findings.')
  })

  it('has nothing to say of a careful app, and exits with 0', async () => {
    expect(await examine('careful')).toEqual({ status: 0, out: 'No findings.' })
  })
})
