import { spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

/*
 * Replaces `fetch` in a spec: every reply of a documented operation is shown to `prism proxy --errors` before the spec
 * sees it. The blog itself gets the request, since the proxy would read and rewrite forms, charsets and broken JSON;
 * the server behind the proxy repeats the blog's reply. `PRISM_LOG` is a file that gets one line for each request.
 */
const tools = fileURLToPath(new URL('.', import.meta.url))
const log = process.env.PRISM_LOG

interface Proxy {
  readonly url: string
  knows(method: string, path: string): boolean
}

interface Recorded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const direct = globalThis.fetch
const proxies = new Map<string, Promise<Proxy | undefined>>()
const children: ChildProcess[] = []
const recorded = new Map<string, Recorded>()

const playback = createServer((req, res) => {
  const reply = recorded.get(String(req.headers['x-recorded']))
  if (reply === undefined) res.writeHead(500).end()
  else res.writeHead(reply.status, reply.headers).end(reply.body)
})
await new Promise<void>((resolve) => playback.listen(0, '127.0.0.1', resolve))

globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  const method = (init?.method ?? 'GET').toUpperCase()
  // The documents first: the blog may be about to stop.
  const proxy = await proxyOf(url.origin)
  const response = await direct(input, init)
  const documented = proxy?.knows(method, url.pathname) === true
  if (documented) await checkWithPrism(proxy, method, url, response.clone())
  if (log !== undefined) {
    appendFileSync(
      log,
      `${JSON.stringify({ documented, method, path: url.pathname, status: response.status })}\n`,
    )
  }
  return response
}

/** @throws Error when the proxy objects to the reply. */
async function checkWithPrism(
  { url }: Proxy,
  method: string,
  { pathname, search }: URL,
  response: Response,
): Promise<void> {
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) =>
      !/^(content-encoding|transfer-encoding|connection|keep-alive)$/.test(name)
    ),
  )
  const id = String(recorded.size)
  recorded.set(id, { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) })
  const seen = await direct(url + pathname + search, {
    method,
    headers: { 'x-recorded': id, authorization: 'Bearer any' },
    redirect: 'manual',
  })
  const objection = seen.headers.get('content-type')?.startsWith('application/problem+json') === true
    ? await seen.text()
    : seen.headers.get('sl-violations')
  if (objection !== null) {
    throw new Error(`The reply ${response.status} to ${method} ${pathname} is not as documented: ${objection}`)
  }
  if (seen.status !== response.status) {
    throw new Error(`The proxy made ${seen.status} of the reply ${response.status} to ${method} ${pathname}.`)
  }
}

afterAll(() => {
  playback.close()
  for (const child of children) child.kill()
})

function proxyOf(origin: string): Promise<Proxy | undefined> {
  const known = proxies.get(origin) ?? startProxy(origin)
  proxies.set(origin, known)
  return known
}

async function startProxy(origin: string): Promise<Proxy | undefined> {
  const reply = await direct(`${origin}/openapi.json`)
  if (!reply.ok) return undefined
  const document = await reply.json() as { paths: Record<string, Record<string, unknown>> }
  const file = join(mkdtempSync(join(tmpdir(), 'prism-')), 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const port = await freePort()
  const prism = join(tools, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const child = spawn(process.execPath, [
    prism,
    'proxy',
    file,
    `http://127.0.0.1:${(playback.address() as AddressInfo).port}`,
    '--errors',
    '--validate-request=false',
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
  ])
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const hear = (chunk: Buffer): void => {
      output += String(chunk)
      if (output.includes('listening')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`prism ended: ${output}`)))
  })
  const operations = Object.entries(document.paths).map(([path, item]) => ({
    matches: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(item),
  }))
  return {
    url: `http://127.0.0.1:${port}`,
    knows: (method, path) =>
      operations.some(({ matches, methods }) => matches.test(path) && methods.includes(method.toLowerCase())),
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
