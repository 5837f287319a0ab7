import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Body } from '../support/http.js'
import { root, startProcess as start } from '../support/processes.js'

async function failure(env: NodeJS.ProcessEnv): Promise<{ code: unknown; stderr: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'samples/blog/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as unknown[]
  return { code, stderr }
}

/** Implements the options of curl that the banner uses, for machines without curl. */
const CURL = `#!${process.execPath}
const { parseArgs } = require('node:util')
const { values, positionals: [url] } = parseArgs({
  allowPositionals: true,
  options: { silent: { type: 'boolean', short: 's' }, method: { type: 'string', short: 'X' }, header: { type: 'string', short: 'H', multiple: true }, body: { type: 'string', short: 'd' } },
})
const headers = (values.header ?? []).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
fetch(url, { method: values.method, headers, body: values.body }).then((response) => response.text()).then((text) => process.stdout.write(text))
`

/** Runs a line like a shell would. */
async function paste(line: string): Promise<Body> {
  const folder = await mkdtemp(join(tmpdir(), 'curl-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'curl'), CURL)
  await chmod(join(folder, 'curl'), 0o755)
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` },
  })
  return JSON.parse(stdout) as Body
}

describe('npm start', { timeout: 60_000 }, () => {
  it('prints the address, the sign-ins and curl lines that work, and exits with 0 on SIGTERM', async () => {
    const { child, url, banner } = await start()
    expect(url).toMatch(/:\d+$/)
    const text = banner.join('\n')
    for (
      const part of ['correct horse battery staple', 'admin@example.test', 'editor@example.test', 'user@example.test']
    ) expect(text).toContain(part)

    const [health, login, posts] = await Promise.all(
      banner.filter((line) => line.includes('curl ')).map((line) => paste(line.trim())),
    )
    expect(health).toMatchObject({ code: 200, data: { status: 'up' } })
    expect(login).toMatchObject({ code: 200, data: { token: expect.any(String) as string } })
    expect(posts).toMatchObject({ code: 200, meta: { total: 50, page: 1, limit: 3 } })

    const open = await fetch(`${url}/admin/users/health`) // leaves an idle connection behind
    await open.text()
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    await expect(fetch(`${url}/admin/users/health`)).rejects.toThrow()
  })

  it('names the pages to open and the panel, and links them at /', async () => {
    const { url, banner } = await start()
    const text = banner.join('\n')
    for (const part of [`${url}/docs`, `${url}/openapi.json`, `${url}/mcp`, 'npm run admin'])
      expect(text).toContain(part)
    const page = await fetch(url)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await page.text()
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path)
    expect(links).toEqual(['/docs', '/openapi.json', '/admin/users/health'])
    for (const path of links) expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
    expect(html).toContain('npm run admin')
  })

  it('says in one sentence that its port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    expect(await failure({ PORT: String(port) })).toEqual({
      code: 1,
      stderr: `Port ${port} is in use: set PORT to another one, or to 0 for any that is free.\n`,
    })
  })

  it('keeps its rows and the tokens of a given secret across a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blog-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const env = {
      DATA_DIR: join(folder, 'data'),
      AUTH_SECRET: 'a secret that is long enough to be one',
      NODE_ENV: 'production',
    }
    const first = await start(env)
    const credentials = { email: 'editor@example.test', password: 'correct horse battery staple' }
    const post = (url: string, path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
        .then((reply) => reply.json() as Promise<Body>)
    const { token } = (await post(first.url, '/admin/login', credentials)).data as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    const { id } = (await post(first.url, '/admin/posts', { title: 'Still there' }, headers)).data as { id: number }
    const exited = once(first.child, 'exit')
    first.child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])

    const second = await start(env)
    const reply = await fetch(`${second.url}/admin/posts/${id}`, { headers })
    expect(await reply.json()).toMatchObject({ code: 200, data: { id, title: 'Still there' } })
  })

  it('serves the panel of PANEL_DIR beside its API', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'panel-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>The panel</title>')
    const { url, banner } = await start({ PANEL_DIR: folder })
    expect(banner).toContain(`The admin panel is at ${url}/panel/`)
    const page = await fetch(`${url}/panel/`)
    expect([page.status, await page.text()]).toEqual([200, '<!doctype html><title>The panel</title>'])
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
    expect((await fetch(`${url}/admin/posts`)).status).toBe(401)
    expect(await (await fetch(`${url}/panel/missing.js`)).json()).toMatchObject({ code: 404 })
  })

  it.each([
    [
      { NODE_ENV: 'production', AUTH_SECRET: '' },
      'AUTH_SECRET is missing: in production the tokens need a secret that outlives a restart.\n',
    ],
    [{ PORT: 'eighty' }, 'PORT is a whole number from 0 to 65535, not "eighty".\n'],
    [{ PANEL_DIR: 'samples/nowhere' }, 'PANEL_DIR has no index.html: build the panel first, as npm run admin does.\n'],
    [{ DATABASE_URL: 'oracle://scott:tiger@db' }, 'DATABASE_URL is a URL that begins with postgres:// or mysql://.\n'],
  ])('refuses %j with a message and exit code 1', async (env, sentence) => {
    expect(await failure(env)).toEqual({ code: 1, stderr: sentence })
  })

  it('exits with 1 without printing the password if the database cannot be reached', async () => {
    const { code, stderr } = await failure({ DATABASE_URL: 'postgres://blog:hunter2@127.0.0.1:1/blog' })
    expect(code).toBe(1)
    expect(stderr).toContain('ECONNREFUSED')
    expect(stderr).not.toContain('hunter2')
  })
})
