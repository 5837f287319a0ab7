import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed, tsc } from './prepare.js'
import { outputOf, pinned } from './processes.js'
import { show, spreadOf } from './statistics.js'
import { table } from './tables.js'

const RESOURCES = 100

interface Compiled {
  readonly processorTime: number
  readonly check: number
}

/** Measures the compiler on 100 resources of six actions with schemas, and on the same handlers without resources. */
export async function compileTime(rounds: number): Promise<string> {
  const ways = {
    'nothing but the imports': '',
    'handlers without schemas': repeated(untyped),
    'handlers without schemas, and the schemas beside them': repeated((at) => untyped(at) + schemas(at)),
    'handlers with `input` and `output`': repeated((at) => schemas(at) + typed(at)),
    'the same, and a client that calls three actions of each': repeated((at) => schemas(at) + typed(at) + called(at))
      + client(),
  }
  const folders = Object.entries(ways).map(([way, source], at) => ({
    way,
    folder: folderOf(at, source),
    measured: [] as Compiled[],
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { folder, measured } of folders) measured.push(await compiled(folder))
  }
  const rows = folders.map(({ way, measured }) => ({
    way,
    all: spreadOf(measured.map(({ processorTime }) => processorTime / 1e6)),
    check: spreadOf(measured.map(({ check }) => check)),
  }))
  const [, base] = rows
  return table(['100 resources', 's of processor time', 's of checking', 'ratio'], rows.map(({ way, all, check }) => [
    way,
    show(all, 2),
    show(check, 2),
    base === undefined ? '' : (all.median / base.all.median).toFixed(2),
  ]))
}

function folderOf(at: number, source: string): string {
  const folder = join(installed, `compile-${at}`)
  mkdirSync(folder, { recursive: true })
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['app.ts'] }))
  writeFileSync(join(folder, 'app.ts'), HEAD + source)
  return folder
}

/** Runs the compiler in a process that reports its processor time. */
async function compiled(folder: string): Promise<Compiled> {
  const script =
    `process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log('used ' + (user + system)) }); require(${
      JSON.stringify(tsc)
    })`
  const [command, args] = pinned(0, [
    process.execPath,
    '--eval',
    script,
    '--',
    'tsc',
    '-p',
    folder,
    '--extendedDiagnostics',
  ])
  const output = await outputOf(command, args)
  return {
    processorTime: Number(/^used (\d+)$/m.exec(output)?.[1]),
    check: Number(/^Check time:\s+([\d.]+)s$/m.exec(output)?.[1]),
  }
}

function repeated(sourceOf: (at: number) => string): string {
  return Array.from({ length: RESOURCES }, (_, at) => sourceOf(at)).join('')
}

const HEAD = `import express from 'express'
import { mountResource, param } from 'resourcery'
import { createClient } from 'resourcery/client'
import { z } from 'zod'

interface Row { id: number; name: string; email: string; age: number | null; createdAt: string }
declare function all(): Row[]
declare function one(id: number): Row
declare function add(fields: object): Row
declare function change(id: number, fields: object): Row
export const app = express()
export const Id = z.object({ id: param.int() })
void mountResource
void createClient
`

function schemas(at: number): string {
  return `
const Item${at} = z.object({ id: z.int(), name: z.string(), email: z.string(), age: z.int().nullable(), createdAt: z.string() })
const NewItem${at} = z.object({ name: z.string().min(2).max(50), email: z.email(), age: param.int().min(18).nullable() })
export const schemas${at} = { list: z.array(Item${at}), edit: NewItem${at}.extend(Id.shape), store: NewItem${at}.partial().extend(Id.shape) }
`
}

function typed(at: number): string {
  return `
export const items${at} = mountResource(app, {
  route: '/items${at}', name: 'items${at}',
  handlers: {
    list: { output: schemas${at}.list, handler: () => all() },
    show: { input: Id, output: Item${at}, handler: (req, res, { id }) => one(id) },
    create: { input: NewItem${at}, output: Item${at}, handler: (req, res, args) => add(args) },
    edit: { input: schemas${at}.edit, output: Item${at}, handler: (req, res, { id, ...args }) => change(id, args) },
    store: { input: schemas${at}.store, output: Item${at}, handler: (req, res, { id, ...args }) => change(id, args) },
    delete: { input: Id, output: Item${at}, handler: (req, res, { id }) => one(id) },
  },
})
`
}

/** Generates calls of a client that read the reply of each action. */
function called(at: number): string {
  return `
export async function call${at}() {
  const shown = await api.items${at}.show({ id: ${at} })
  const created = await api.items${at}.create({ name: 'Ann', email: 'ann@example.test', age: null })
  const listed = await api.items${at}.list()
  return [shown.ok && shown.data.name, !created.ok && created.code === 422 && created.data.email, listed.ok && listed.data[0]?.createdAt]
}
`
}

function client(): string {
  const members = Array.from({ length: RESOURCES }, (_, at) => `items${at}: typeof items${at}`)
  return `const api = createClient<{ ${members.join('; ')} }>({ url: '', routes: [] })\n`
}

function untyped(at: number): string {
  return `
mountResource(app, {
  route: '/items${at}', name: 'items${at}',
  handlers: {
    list: () => all(),
    show: (req, res, { id }) => one(Number(id)),
    create: (req, res, args) => add(args),
    edit: (req, res, { id, ...args }) => change(Number(id), args),
    store: (req, res, { id, ...args }) => change(Number(id), args),
    delete: (req, res, { id }) => one(Number(id)),
  },
})
`
}
