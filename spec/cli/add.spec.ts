import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { checksIn, rulesOf } from '../../lib/tools/add/checks.js'
import { inputOf, quote } from '../../lib/tools/add/fields.js'
import { namesOf, nearest } from '../../lib/tools/add/names.js'
import { readProject } from '../../lib/tools/add/project.js'
import { defaultOf, kindOf, type Column } from '../../lib/tools/add/table.js'
import type { Source } from '../../lib/tools/add/source.js'
import { writeResource } from '../../lib/tools/add/write-resource.js'
import { writeTest } from '../../lib/tools/add/write-test.js'
import { writeAll } from '../../lib/tools/cli/add-command.js'
import { run } from '../../lib/tools/cli/run.js'

/* What `add` writes for tables of real databases is compiled, tested and linted by `npm run test:add`. */

describe('a CHECK constraint', () => {
  it.each([
    ["CHECK ((genre = ANY (ARRAY['novel'::text, 'essay'::text])))", [{ column: 'genre', values: ['novel', 'essay'] }]],
    ["CHECK (((kind)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[])))", [{
      column: 'kind',
      values: ['a', 'b'],
    }]],
    ["`status` in ('draft','it''s live')", [{ column: 'status', values: ['draft', "it's live"] }]],
    ['CHECK (((stars >= 1) AND (stars <= 5)))', [
      { column: 'stars', bounds: { min: 1 }, isLength: false },
      { column: 'stars', bounds: { max: 5 }, isLength: false },
    ]],
    ['`stars` between 1 and 5', [
      { column: 'stars', bounds: { min: 1 }, isLength: false },
      { column: 'stars', bounds: { max: 5 }, isLength: false },
    ]],
    ['CHECK ((price > (0)::numeric))', [{ column: 'price', bounds: { min: 1 }, isLength: false }]],
    ['CHECK ((char_length(isbn) = 13))', [{ column: 'isbn', bounds: { min: 13, max: 13 }, isLength: true }]],
    ['CHECK ((length((nick)::text) >= 2))', [{ column: 'nick', bounds: { min: 2 }, isLength: true }]],
    ['json_valid(`meta`)', [{ column: 'meta', isJson: true }]],
  ])('%s becomes rules of a column', (definition, rules) => expect(rulesOf(definition)).toEqual(rules))

  it.each(['CHECK ((low < high))', "CHECK ((a = 'x') OR (b > 1))", "CHECK ((name ~ '^[a-z]+$'))", 'CHECK ((a <> 1))',
    "CHECK ((kind <> ALL (ARRAY['a'::text])))"])('%s is left alone',
      (definition) => expect(rulesOf(definition)).toBeUndefined())

  it('is found in the statement that creates a table, with its parentheses and strings', () => {
    expect(checksIn("create table t (a int check (a in (1)), b text CHECK (b <> ')('))"))
      .toEqual(['(a in (1))', "(b <> ')(')"])
  })
})

describe('a column', () => {
  it('has the literal default of its kind, and an expression otherwise', () => {
    expect(defaultOf("'it''s'::text", 'string')).toEqual({ value: "it's" })
    expect(defaultOf('(0)::numeric', 'decimal')).toEqual('expression')
    expect(defaultOf('0.5', 'decimal')).toEqual({ value: '0.5' })
    expect(defaultOf("'{}'::text[]", 'string', true)).toEqual({ value: [] })
    expect(defaultOf('\'{"a": 1}\'::jsonb', 'json')).toEqual({ value: { a: 1 } })
    expect(defaultOf('now()', 'date')).toBe('expression')
    expect(defaultOf('NULL::character varying', 'string')).toBeUndefined()
  })

  it('has a kind by its type', () => {
    const types = ['character varying(80)', 'tinyint(1)', 'int unsigned', 'numeric(8,2)', 'timestamp with time zone',
      'interval', 'bytea', 'time without time zone', 'point', 'jsonb']
    expect(types.map(kindOf)).toEqual(['string', 'bool', 'int', 'decimal', 'date', 'other', 'other', 'text', 'other',
      'json'])
  })

  it('is written with its limits, its default and strings that are quoted', () => {
    const column: Column = { name: 'a', kind: 'string', isList: false, type: 'text', isNullable: true,
      isGenerated: false, default: undefined, bounds: {}, length: { max: 3 } }
    const reading = { library: 'kysely', dialect: 'postgres' } as const
    expect(inputOf(reading, column)).toBe('z.string().max(3).nullable().default(null)')
    expect(inputOf(reading, { ...column, isNullable: false, values: ["it's", 'a"\n\\'] }))
      .toBe(`z.enum(["it's", 'a"\\n\\\\'])`)
    expect(quote('\u2028')).toBe("'\\u2028'")
  })
})

describe('the files of a resource', () => {
  it('are all written or none, and never over others', async () => {
    const root = mkdtempSync(join(tmpdir(), 'add-spec-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    const [one, two] = [{ path: 'src/one.js', text: '1' }, { path: 'src/two.js', text: '2' }]
    await expect(writeAll(root, [one, { path: 'src/one.js/test.js', text: '' }]))
      .rejects.toMatchObject({ status: 1, message: expect.stringMatching(/^The files cannot be written: /) })
    expect(readdirSync(join(root, 'src'))).toEqual([])
    await writeAll(root, [two])
    await expect(writeAll(root, [one, two])).rejects.toMatchObject({ status: 1 })
    expect(readdirSync(join(root, 'src'))).toEqual(['two.js'])
  })

  it('have no folder of tests where that name is a file', () => {
    const root = mkdtempSync(join(tmpdir(), 'add-spec-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    writeFileSync(join(root, 'test'), '')
    expect(readProject(root, 'db.js', undefined).testFolder).toBeUndefined()
    mkdirSync(join(root, 'spec'))
    expect(readProject(root, 'db.js', undefined).testFolder).toBe('spec')
  })
})

describe('what is written for an application', () => {
  const project = { root: '/none', isTypeScript: true, isModule: true, tests: 'vitest', testFolder: 'test',
    testWord: 'test', extension: '.ts', importExtension: '.js' } as const
  const column = { kind: 'int', isList: false, type: 'integer', isNullable: false, isGenerated: false,
    default: undefined, bounds: {}, length: {} } as const
  const db = { file: 'src/db.ts', name: 'db' }
  const source: Source = {
    library: 'drizzle',
    dialect: 'postgres',
    called: 'notes',
    db,
    close: { call: 'db.$client.end()', import: db },
    isEnforced: true,
    related: () => Promise.resolve(undefined),
    table: { table: 'notes', keys: ['id'], uniques: new Map(), checks: [], isView: false,
      columns: [{ ...column, name: 'id', isGenerated: true }, { ...column, name: 'about', kind: 'json' }] },
  }
  const target = { names: namesOf('notes'), file: 'src/notes.ts', route: '/notes', app: 'desk', references: [],
    typing: 'own' } as const

  it('has one caller in its test, which compiles whatever `Callers` declares', () => {
    const text = writeTest({ project, source, target, parents: [] }, 'test/notes.test.ts')
    expect(text).toContain("import { inject, type InjectedCaller } from 'resourcery/testing'")
    expect(text).toContain("const caller = { id: 1, role: 'admin' } as InjectedCaller // add what")
    expect(text.match(/as: caller/g)).toHaveLength(text.match(/inject(?:<Reply>)?\(/g)?.length ?? 0)
    const plain = writeTest({ project: { ...project, isTypeScript: false }, source, target, parents: [] }, 'a.test.js')
    expect(plain).toContain("const caller = { id: 1, role: 'admin' }\n")
    expect(plain).not.toContain('InjectedCaller')
  })

  it('says that a JSON column of Drizzle needs a schema, since its type is not read', () => {
    expect(writeResource(project, source, target)).toContain('about: z.json(), // any JSON')
  })
})

describe('the names of a table', () => {
  it.each([
    ['book_authors', 'bookAuthors', 'BookAuthor', 'book-authors'],
    ['class', 'classResource', 'Class', 'class'],
    ['Categories', 'categories', 'Category', 'categories'],
    ['dates', 'dates', 'DateRecord', 'dates'],
    ['2fa codes', 'table2faCodes', 'Table2faCode', '2fa-codes'],
    ['größen', 'grossen', 'Grossen', 'grossen'],
    ['status', 'status', 'Status', 'status'],
  ])('%s are those of the code and the address', (table, many, one, path) => {
    expect(namesOf(table)).toEqual({ many, one, path })
  })

  it('of models are plural', () => expect(namesOf('Story', [], true)).toMatchObject({ many: 'stories', one: 'Story' }))

  it('that are like a misspelt one are found', () => {
    expect(nearest('autors', ['books', 'authors', 'audit.events'])).toEqual(['authors'])
    expect(nearest('events', ['audit.events', 'books'])).toEqual(['audit.events'])
    expect(nearest('zebra', ['books'])).toEqual([])
  })
})

describe('resourcery add', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'resourcery-add-'))
    vi.spyOn(process, 'cwd').mockReturnValue(root)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(root, { recursive: true })
  })

  async function add(...args: string[]): Promise<readonly [number, string]> {
    const out: string[] = []
    const print = (text: string): void => void out.push(text)
    return [await run(['add', ...args], print, print, (url) => import(url) as Promise<object>), out.join('\n')]
  }

  it('exits with 2 and says what is wrong with the command', async () => {
    expect(await add()).toEqual([2, expect.stringContaining('takes the name of one table or model')])
    expect(await add('a', 'b')).toEqual([2, expect.stringContaining('takes one table or model')])
    expect(await add('a', '--tests', 'mocha')).toEqual([2, '--tests is one of vitest, jest, node.'])
    expect(await add('a', '--route', 'books')).toEqual([2, '--route begins with a slash, as in /books.'])
    expect(await add('a', '--from', 'none.js')).toEqual([2, 'There is no file none.js.'])
  })

  it('exits with 2 where no module exports a connection, and writes nothing', async () => {
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'src/database.js'), 'export const knex = 1\nthrow new Error("no settings")\n')
    const [status, text] = await add('books')
    expect(status).toBe(2)
    expect(text).toContain('No module exports a connection of Kysely, Knex, Drizzle or Prisma in src/database.js.')
    expect(text).toContain('src/database.js cannot be loaded: no settings')
    expect(readdirSync(join(root, 'src'))).toEqual(['database.js'])
  })

  describe('of a module that is named', () => {
    const loaded = (): string[] => (globalThis as { loaded?: string[] }).loaded ??= []
    const knex = (error: string): string =>
      `const fail = () => { throw new Error('${error}') }
      const client = { dialect: 'postgresql', wrapIdentifier: String }
      export const knex = Object.assign(() => 0, { client, schema: {}, raw: fail, select: fail })`
    const drizzle = 'export const db = { select() {}, dialect: {}, transaction() {} }\n'
    /** Writes modules that tell when they are loaded. */
    const write = (modules: Readonly<Record<string, string>>): void => {
      loaded().length = 0
      writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
      for (const [name, text] of Object.entries(modules)) {
        writeFileSync(join(root, name), `(globalThis.loaded ??= []).push('${name}')\n${text}`)
      }
    }

    it('loads no other module, and takes its connection alone', async () => {
      write({ 'a.js': knex('of a'), 'b.js': knex('of b') })
      expect(await add('books', '--from', 'b.js'))
        .toEqual([2, 'The database of `knex` in b.js cannot be read: of b'])
      expect(loaded()).toEqual(['b.js'])
    })

    it('refuses one without a connection', async () => {
      write({ 'a.js': knex('of a'), 'b.js': 'export const other = 1\n' })
      const [status, text] = await add('books', '--from', 'b.js')
      expect([status, text]).toEqual([2, expect.stringContaining('Prisma in b.js.')])
      expect(loaded()).toEqual(['b.js'])
    })

    it('searches the others for the tables of Drizzle, and tells which cannot be loaded', async () => {
      write({ 'a.js': drizzle, 'b.js': 'export const books = pgTable ("books")\n', 'c.js': knex('of c') })
      expect(await add('books', '--from', 'a.js')).toEqual([2,
        'There is no table or model `books`. The database has no tables.\n'
        + 'b.js cannot be loaded: pgTable is not defined'])
      expect(loaded()).toEqual(['a.js', 'b.js', 'c.js'])
    })
  })
})
