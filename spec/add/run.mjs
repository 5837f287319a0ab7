import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DATABASES } from './databases.mjs'
import { PROJECTS } from './projects.mjs'
import { toolsOf } from './tools.mjs'

/*
 * Runs `resourcery add` of the packed package in projects with tables of all kinds, then compiles, tests and lints
 * what it has written: `npm run test:add`. In .ci/nightly all of them, otherwise the first one.
 * A name on the command line selects: `npm run test:add -- prisma`.
 */

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const scratch = join(here, 'projects')
const command = join(scratch, 'node_modules/resourcery/dist/tools/cli/resourcery.js')
const bin = (name) => join(here, 'node_modules/.bin', name)
const asked = process.argv.slice(2)
const all = Object.keys(PROJECTS)
const names = asked.length > 0 ? asked : process.env.NIGHTLY === 'true' ? all : all.slice(0, 1)

/** Prisma's client needs no schema engine, which `prisma generate` would download. */
const environment = { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: join(root, 'package.json') }

rmSync(scratch, { recursive: true, force: true })
mkdirSync(join(scratch, 'node_modules/resourcery'), { recursive: true })
const tarball = run('npm', ['pack', '--silent', '--pack-destination', scratch], root).trim()
run('tar', ['-xzf', tarball, '--strip-components=1', '-C', 'node_modules/resourcery'], scratch)
for (const name of names) {
  try {
    await prove(name, PROJECTS[name])
    console.log(`ok      ${name}`)
  } catch (error) {
    console.log(`FAILED  ${name}\n${error.stack}`)
    process.exitCode = 1
  }
}
if (process.exitCode === undefined && process.env.KEEP === undefined) rmSync(scratch, { recursive: true })

async function prove(name, project) {
  const folder = join(scratch, name)
  const isTs = Object.keys(project.files).some((file) => file.endsWith('.ts'))
  for (const [file, text] of Object.entries({ ...toolsOf(project, isTs), ...project.files })) write(folder, file, text)
  const { url, drop } = await DATABASES[project.database](name, scratch)
  const env = { ...environment, DATABASE_URL: url }
  try {
    if (project.files['prisma/schema.prisma'] !== undefined) run(bin('prisma'), ['generate'], folder, env)
    refuse(folder, env, project)
    const [first, ...others] = project.tables
    addCarefully(folder, env, first)
    for (const table of others) {
      const [{ text }] = add(folder, env, table).files
      if (!text.includes(project.leftOut?.[table] ?? '')) throw new Error(`${table} does not say what it leaves out`)
    }
    for (const table of project.todo ?? []) {
      if (!add(folder, env, table).steps.includes('marked as todo')) throw new Error(`${table}: no word of the CHECK`)
    }
    if (isTs) run(bin('tsc'), ['-p', '.'], folder, env)
    run(bin('eslint'), ['.'], folder, env)
    const tested = test(folder, env, project, isTs)
    for (const table of project.tables) {
      if (!/created, read, changed and deleted/.test(tested)) throw new Error(`${table} was not created:\n${tested}`)
    }
  } finally {
    await drop()
  }
}

/** Runs the command for tables that it refuses: it says why, and writes nothing. */
function refuse(folder, env, { refused }) {
  const before = digest(folder)
  for (const [table, status, words] of refused) {
    const result = resourcery(['add', table], folder, env)
    const output = `${result.stdout}${result.stderr}`
    if (result.status !== status || !output.includes(words)) {
      throw new Error(`add ${table} exits with ${result.status}, not ${status}, and says: ${output}`)
    }
  }
  if (digest(folder) !== before) throw new Error('A refused table has changed files.')
}

/** Adds a table, which changes no other file. */
function add(folder, env, table) {
  const before = digest(folder)
  const { stdout, stderr, status } = resourcery(['add', table, '--json'], folder, env)
  if (status !== 0) throw new Error(`add ${table} exits with ${status}: ${stdout}${stderr}`)
  const { written, files, steps } = JSON.parse(stdout)
  for (const { path, text } of files) {
    if (readFileSync(join(folder, path), 'utf8') !== text) throw new Error(`${path} is another file than said`)
  }
  if (digest(folder, written) !== before) throw new Error(`add ${table} has changed other files.`)
  return { files, steps: steps.join('\n') }
}

/** Adds a table first as a diff, which changes nothing, then in fact, and no second time. */
function addCarefully(folder, env, table) {
  const before = digest(folder)
  const dry = resourcery(['add', table, '--dry-run'], folder, env)
  if (dry.status !== 0 || digest(folder) !== before)
    throw new Error(`add ${table} --dry-run: ${dry.stdout}${dry.stderr}`)
  for (const { text } of add(folder, env, table).files) {
    const lines = text.trimEnd().split('\n').map((line) => `+${line}`).join('\n')
    if (!dry.stdout.includes(lines)) throw new Error(`The diff lacks ${lines}`)
  }
  const again = resourcery(['add', table], folder, env)
  if (again.status !== 1 || !again.stdout.includes('Nothing was written'))
    throw new Error(`add ${table} again: ${again.stdout}`)
}

function resourcery(args, cwd, env) {
  return spawnSync(process.execPath, [command, ...args], { cwd, env, encoding: 'utf8' })
}

/** Returns the content of a project as one value, without some files. */
function digest(folder, without = []) {
  const hash = createHash('sha256')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => (
    !without.some((other) => join(folder, other) === path)
  ))
  for (const path of paths.sort()) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

function test(folder, env, { tests }, isTs) {
  if (tests === 'vitest')
    return run(bin('vitest'), ['run', '--reporter=verbose'], folder, { ...env, CI: 'true', NO_COLOR: 'true' })
  const files = readdirSync(join(folder, 'test')).map((file) => join('test', file))
  return run(process.execPath, [...(isTs ? ['--import', 'tsx'] : []), '--test', '--test-reporter=spec', ...files],
    folder, env)
}

function write(folder, file, text) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

function run(program, args, cwd, env = environment) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} in ${cwd} has failed:\n${stdout}\n${stderr}`)
  return stdout
}
