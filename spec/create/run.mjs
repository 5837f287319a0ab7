import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Creates projects with `create-resourcery`, installs them with the packed package, and compiles, tests, lints,
 * examines and serves each: `npm run test:create`. In .ci/nightly all of them, in .ci/run the first one,
 * otherwise the first two.
 * A name on the command line selects: `npm run test:create -- prisma`.
 */

const PROJECTS = {
  'kysely': ['--language', 'ts', '--database', 'pglite', '--library', 'kysely', '--tests', 'vitest', '--docker'],
  'drizzle-js': ['--language', 'js', '--database', 'postgres', '--library', 'drizzle', '--tests', 'node'],
  'memory': ['--database', 'memory', '--no-auth', '--no-docs'],
  'memory-js': ['--template', 'javascript', '--database', 'memory', '--tests', 'node:test'],
  'kysely-js': ['--language', 'js', '--database', 'postgres', '--library', 'kysely', '--no-auth'],
  'drizzle': ['--database', 'pglite', '--library', 'drizzle', '--tests', 'node', '--no-docs'],
  'drizzle-open': ['--database', 'postgres', '--library', 'drizzle', '--no-auth'],
  'prisma': ['--database', 'pglite', '--library', 'prisma', '--tests', 'vitest'],
  'prisma-node': ['--database', 'postgres', '--library', 'prisma', '--tests', 'node', '--no-auth'],
  'prisma-js': ['--language', 'js', '--database', 'pglite', '--library', 'prisma', '--tests', 'node'],
}

const NOT_SERVED = 'not served: that needs TEST_POSTGRES_URL'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'resourcery-create-'))
const asked = process.argv.slice(2)
const all = Object.keys(PROJECTS)
const names = asked.length > 0 ? asked : process.env.NIGHTLY === 'true' ? all : all.slice(0, 2)

/** Prisma's client needs no schema engine, which `prisma generate` would download. */
const environment = { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: join(root, 'package.json') }

try {
  const tarball = join(scratch, run('npm', ['pack', '--silent', '--pack-destination', scratch], root).trim())
  for (const name of names) {
    await prove(name, tarball).catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function prove(name, tarball) {
  const folder = join(scratch, name)
  const flags = [...PROJECTS[name], '--yes', '--resourcery', `file:${tarball}`]
  run(process.execPath, [join(root, 'create/index.js'), folder, ...flags], scratch)
  run('npm', ['install', '--no-audit', '--no-fund'], folder)
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const script of ['generate', 'test', 'lint', 'build', 'doctor']) {
    if (scripts[script] !== undefined) run('npm', ['run', script], folder)
  }
  const isServed = await serves(name, folder)
  console.log(`${name}: installed, tested, linted and examined, ${isServed ? 'served' : NOT_SERVED}`)
}

/** Starts the program on a free port, as its README says, and sends it a request; false without its database. */
async function serves(name, folder) {
  const port = await freePort()
  const isPostgres = PROJECTS[name].includes('postgres')
  const url = process.env.TEST_POSTGRES_URL
  if (isPostgres && url === undefined) return false
  const env = { ...environment, PORT: String(port),
    ...(isPostgres && { DATABASE_URL: await database(name, url, folder) }) }
  try {
    if (isPostgres) run('npm', ['run', 'migrate'], folder, env)
    const server = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    try {
      for await (const chunk of server.stdout) if (String(chunk).includes('listening on')) break
      const isOpen = PROJECTS[name].includes('--no-auth')
      const { status } = await fetch(`http://127.0.0.1:${port}/notes`)
      if (status !== (isOpen ? 200 : 401)) throw new Error(`${name}: GET /notes is ${status}`)
      return true
    } finally {
      process.kill(-server.pid, 'SIGTERM')
      if (server.exitCode === null) await once(server, 'exit')
    }
  } finally {
    if (isPostgres) sql(folder, url, `drop database if exists ${databaseName(name)} with (force)`)
  }
}

async function database(name, url, folder) {
  sql(folder, url, `create database ${databaseName(name)}`)
  return Object.assign(new URL(url), { pathname: `/${databaseName(name)}` }).href
}

function databaseName(name) {
  return `create_${name.replaceAll('-', '_')}_${process.pid}`
}

/** Runs a statement with the node-postgres of the project. */
function sql(folder, url, statement) {
  const program = join(folder, 'statement.tmp.js')
  writeFileSync(program, `import pg from 'pg'
const client = new pg.Client({ connectionString: process.argv[2] })
await client.connect()
await client.query(process.argv[3])
await client.end()
`)
  run(process.execPath, [program, url, statement], folder)
  rmSync(program)
}

async function freePort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

function run(command, args, cwd, env = environment) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} in ${cwd} has failed:\n${stdout}\n${stderr}`)
  return stdout
}
