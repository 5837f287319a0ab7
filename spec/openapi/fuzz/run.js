// Sends requests that are made from the served documents alone to several applications: see CONTRIBUTING.md.
// `node --import tsx spec/openapi/fuzz/run.js [application]`; FUZZ_SEED repeats a run, FUZZ_RUNS makes it longer.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../../lib/entries/index.ts'
import { helpDesk } from '../../../samples/help-desk/app.ts'
import { openDatabase } from '../../../samples/help-desk/database.ts'
import { startBlog } from '../../support/blog.ts'
import { handlersApp } from './apps/handlers.ts'
import { recordsApp } from './apps/records.ts'
import { fuzz } from './fuzz.js'

/** Requests that the schemas accept and the page on documents says are refused. */
const NAMED = [
  /cursor/i,
  /"(?:loose|anything|json)(?:[^"\\]|\\.)*":\["Must (?:not contain a NUL|be well-formed)/,
  /no such record|does not exist|No such|Not an agent/i,
  /Already taken/,
  /must be CSV|Unknown column|column/i,
  /Is out of range/,
  /media type|must be image|An item cannot be|A tree|own ancestor/i,
  /There is no page/,
  /levels|descend/i,
  /"idempotency_key_reused"/,
]

/** The same of one path alone: items of any type, where other strings have a pattern. */
const NAMED_AT = { '/rules': /"tags\.\d+":\["Must (?:not contain a NUL|be well-formed)/ }

const served = async (app, close = () => undefined) => {
  const server = await serve(app, { port: 0, signals: false, drain: 0 })
  return { url: server.url, close: () => server.close().then(close) }
}

const password = 'correct horse battery staple'

const APPLICATIONS = {
  handlers: { start: () => served(handlersApp()), headers: { 'X-Key': 'k' } },
  records: { start: () => served(recordsApp()), headers: { Cookie: 'sid=ok' } },
  blog: {
    start: async () => {
      const { url, close, tokens } = await startBlog()
      return { url, close, headers: { Authorization: `Bearer ${tokens.admin.admin}` }, path: '/openapi/admin.json' }
    },
  },
  'help desk': {
    start: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
      const db = await openDatabase(password)
      const app = helpDesk(db, { secret: new Uint8Array(32).fill(1), folder })
      const { url, close } = await served(app, () => Promise.all([db.destroy(), rm(folder, { recursive: true })]))
      const body = JSON.stringify({ email: 'lea@example.test', password })
      const reply = await fetch(`${url}/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
        body })
      const { data } = await reply.json()
      return { url, close, headers: { Authorization: `Bearer ${data.token}` } }
    },
  },
}

const [only] = process.argv.slice(2)
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9))
const runs = 12 * Number(process.env.FUZZ_RUNS ?? 1)
const allows = ({ path }, { bytes }) => {
  const text = bytes.toString()
  return NAMED.some((one) => one.test(text)) || NAMED_AT[path]?.test(text) === true
}

for (const [name, { start, headers }] of Object.entries(APPLICATIONS)) {
  if (only !== undefined && only !== name) continue
  const { url, close, path = '/openapi.json', ...own } = await start()
  const document = await (await fetch(url + path)).json()
  const started = performance.now()
  const { sent, statuses, findings } = await fuzz({ url, document, seed, runs, allows,
    headers: headers ?? own.headers })
  const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${count} of ${status}`)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${name}: ${sent} requests in ${seconds} s, seed ${seed}: ${counts.join(', ')}; ${findings.size} findings`,
  )
  for (const [key, { count, detail }] of findings) console.log(`- ${key} (${count} times)\n    ${detail}`)
  if (findings.size > 0) process.exitCode = 1
  await close()
}
