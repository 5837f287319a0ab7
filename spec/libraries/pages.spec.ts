import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import ts from 'typescript'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Served } from 'resourcery'
import { expectReplies, moduleOf } from '../docs/exchanges.js'
import { programsOf } from '../docs/programs.js'
import { startMongod } from './stores/mongod.js'
import { openPlace } from './stores/places.js'

/* The programs of docs/stores/, one page a library: each compiles, runs on a database and replies as shown. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(root, 'spec/libraries/.docs-'))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

const pages = ['kysely', 'drizzle', 'knex', 'prisma', 'typeorm', 'sequelize', 'mongoose'].map((library) => {
  const text = read(`docs/stores/${library}.md`)
  const [program, ...others] = programsOf(text)
  if (program === undefined || others.length > 0) throw new Error(`docs/stores/${library}.md has not one program.`)
  const file = join(folder, `${library}.ts`)
  // `npm run generate` writes the client of the page's schema to another folder; each test has a schema of its own.
  const source = program.source
    .replace('./generated/prisma/', '../generated/pages/')
    .replace(/(?<=new PrismaPg\(.+)\)(?= }\))/, ", { schema: process.env.DATABASE_SCHEMA ?? '' })")
  writeFileSync(file, moduleOf(source))
  const table = /^```sql\n(.*?)^```$/ms.exec(text)?.[1]
  return { library, file, exchanges: program.exchanges, table }
})

afterAll(() => rmSync(folder, { recursive: true }))

it('the programs compile', { timeout: 120_000 }, () => {
  const file = join(root, 'spec/libraries/tsconfig.json')
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, (path) => ts.sys.readFile(path)).config,
    ts.sys,
    join(root, 'spec/libraries'),
  )
  const program = ts.createProgram([...pages.map((page) => page.file), join(root, 'lib/core/base/types.ts')], options)
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')))
    .toEqual([])
})

it('the schema of Prisma is the one that the test generates from', () => {
  const model = /^model Todo .*?^}$/ms.exec(read('docs/stores/prisma.md'))?.[0] ?? 'none'
  expect(read('spec/libraries/prisma/pages.prisma')).toContain(model)
})

describe.each(pages)('the program of docs/stores/$library', ({ library, file, exchanges, table }) => {
  it('runs on a database and replies as shown', async () => {
    process.env.DATABASE_URL = await databaseOf(library, table)
    process.env.DATABASE_SCHEMA = /search_path%3D(\w+)/.exec(process.env.DATABASE_URL)?.[1]
    const { running } = await import(file) as { readonly running: Served }
    onTestFinished(() => running.close())
    expect(exchanges.length).toBeGreaterThan(1)
    await expectReplies(exchanges, running.url)
  })
})

/** Returns the URL of a database that has the table of the page, for the length of a test. */
async function databaseOf(library: string, table: string | undefined): Promise<string> {
  if (library === 'mongoose') {
    const mongod = await startMongod()
    onTestFinished(() => mongod.stop())
    return mongod.url
  }
  const place = await openPlace('postgres')
  onTestFinished(() => place.drop())
  await sql.raw(table ?? TODOS).execute(place.admin)
  return place.url
}

/** What `prisma migrate` makes of the page's schema. */
const TODOS =
  'create table todos (id serial primary key, title text not null, done boolean not null default false, "dueOn" date)'
