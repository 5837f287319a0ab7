import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/*
 * Rolling restarts behind Debian's HAProxy and nginx, by the settings of docs/serving.md: two processes are restarted
 * in turn, ten times, while clients send requests. No request may fail: `npm run test:proxies`.
 */

const RESTARTS = 10
const REQUESTS = 20_000
const CLIENTS = 8

interface Ports {
  readonly proxy: number
  readonly servers: readonly [number, number]
}

interface Proxy {
  readonly name: string
  readonly writes: boolean
  readonly config: (ports: Ports, folder: string) => string
  readonly command: (config: string, folder: string) => readonly [program: string, ...args: string[]]
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'haproxy',
    writes: true,
    config: ({ proxy, servers: [one, other] }) => `
      defaults
        mode http
        timeout connect 1s
        timeout client 60s
        timeout server 60s
        option redispatch
      frontend api
        bind 127.0.0.1:${proxy}
        default_backend servers
      backend servers
        option httpchk GET /ready
        default-server check inter 500ms fall 1 rise 1
        server one 127.0.0.1:${one}
        server other 127.0.0.1:${other}
    `,
    command: (config) => ['haproxy', '-db', '-q', '-f', config],
  },
  {
    name: 'nginx',
    writes: false,
    config: ({ proxy, servers: [one, other] }, folder) => `
      daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
      events { worker_connections 512; }
      http {
        access_log off;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
        uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        keepalive_requests 1000000;
        upstream servers {
          server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;
          server 127.0.0.1:${other} max_fails=1 fail_timeout=1s;
          keepalive 16;
          keepalive_timeout 1s;
        }
        server {
          listen 127.0.0.1:${proxy};
          location / {
            proxy_pass http://servers;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_next_upstream error timeout;
          }
        }
      }
    `,
    command: (config, folder) => ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c', config],
  },
]

/** Returns ports that are free now. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

const agent = new Agent({ keepAlive: true })

/** Sends a request and returns its status; rejects if the connection breaks. */
function send(port: number, method: 'GET' | 'POST', path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = method === 'POST' ? { 'content-type': 'application/json' } : {}
    request({ agent, port, host: '127.0.0.1', method, path, headers }, (res) => {
      res.resume().on('error', reject).on('end', () => resolve(res.statusCode ?? 0))
    }).on('error', reject).end(method === 'POST' ? '{"title":"more"}' : undefined)
  })
}

async function untilReady(port: number, { spawnfile }: ChildProcess): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    if ((await send(port, 'GET', '/ready').catch(() => 0)) === 200) return
    await setTimeout(50)
  }
  throw new Error(`${spawnfile} is not ready.`)
}

const running = new Set<ChildProcess>()

function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function startServer(port: number): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('server.ts', import.meta.url))
  const child = start(process.execPath, ['--import', 'tsx', file], { PORT: String(port) })
  await untilReady(port, child)
  return child
}

/** Sends requests until `isOver` returns true, and collects what failed. */
async function load(port: number, writes: boolean, isOver: (sent: number) => boolean): Promise<[number, string[]]> {
  let sent = 0
  const failed: string[] = []
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (!isOver(sent)) {
      const method = writes && sent++ % 4 === 0 ? 'POST' : 'GET'
      if (!writes) sent++
      const path = method === 'POST' ? '/notes' : '/notes/1'
      const outcome = await send(port, method, path).catch((error: unknown) => String(error))
      if (outcome !== 200 && outcome !== 201) failed.push(`${method} ${path}: ${outcome}`)
    }
  }))
  return [sent, failed]
}

async function restartsBehind(proxy: Proxy): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), `${proxy.name}-`))
  const [port = 0, one = 0, other = 0] = await freePorts(3)
  const servers = [one, other] as const
  const children = await Promise.all(servers.map(startServer))
  const file = join(folder, 'proxy.conf')
  // HAProxy refuses a file whose last line does not end.
  writeFileSync(file, `${proxy.config({ proxy: port, servers }, folder).trimEnd()}\n`)
  const [program, ...args] = proxy.command(file, folder)
  const front = start(program, args)
  await untilReady(port, front)
  let restarts = 0
  const loading = load(port, proxy.writes, (sent) => restarts === RESTARTS && sent >= REQUESTS)
  for (; restarts < RESTARTS; restarts++) {
    const at = restarts % 2
    const stopped = new Promise((resolve) => children[at]?.once('exit', resolve))
    children[at]?.kill('SIGTERM')
    const code = await stopped
    if (code !== 0) throw new Error(`A server ended with ${String(code)}.`)
    children[at] = await startServer(servers[at] ?? 0)
    // A proxy that checks its servers notices the new process.
    await setTimeout(1500)
  }
  const [sent, failed] = await loading
  console.log(`${proxy.name}: ${failed.length} of ${sent} requests failed in ${restarts} restarts`, failed.slice(0, 5))
  for (const child of [front, ...children]) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true })
  return failed.length === 0
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
const missing = PROXIES.filter(({ name }) => spawnSync(name, ['-v']).error !== undefined)
if (missing.length > 0) throw new Error(`Install ${missing.map(({ name }) => name).join(' and ')}.`)
const names = process.argv.slice(2)
const results: boolean[] = []
for (const proxy of PROXIES) {
  if (names.length === 0 || names.includes(proxy.name)) results.push(await restartsBehind(proxy))
}
agent.destroy()
process.exitCode = results.every(Boolean) ? 0 : 1
