import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import express, { type Response } from 'express'
import type { Generated } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { crud, type Store } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { BusinessError, UnavailableError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { routesOf } from 'resourcery'
import { send } from 'resourcery'
import { serve } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { memoryHeld } from '../../lib/core/upload/spool.js'
import { upload } from 'resourcery'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { serving, type Body } from '../support/http.js'
import { FORM_TYPE, formOf, type FormPart } from '../support/multipart.js'
import { people, PersonIn, PersonOut, type Person } from './people.js'

const base = { input: PersonIn, output: PersonOut, import: true } as const

interface Directory {
  readonly url: string
  readonly failures: unknown[]
  readonly rows: () => Promise<readonly Person[]>
  /** Uploads a file with this content and returns the reply. */
  readonly send: (file: string | Buffer, more?: readonly FormPart[], query?: string) => Promise<Body>
  readonly count: () => Promise<number>
}

async function directory(options: object = {}, store: Store<Person> = people(2)): Promise<Directory> {
  const app = express()
  const failures: unknown[] = []
  mountResource(app, { route: '/people', name: 'people', ...crud(store, { ...base, ...options }) })
  const { url } = await serving(app.use(errorHandler({ log: (error) => failures.push(error) })))
  const rows = async (): Promise<readonly Person[]> => store.list({ where: [], order: ['id'] }).slice(0, 10_000)
  return {
    url,
    failures,
    rows,
    count: async () => (await rows()).length,
    send: (file, more, query) => sent(url, file, more, query),
  }
}

async function sent(url: string, file: string | Buffer, more: readonly FormPart[] = [], query = ''): Promise<Body> {
  const body = formOf({ name: 'file', filename: 'people.csv', content: file }, ...more)
  const response = await fetch(`${url}/people/import${query}`, {
    method: 'POST',
    headers: { 'content-type': FORM_TYPE },
    body: new Uint8Array(body),
  })
  return await response.json() as Body
}

const trial: FormPart = { name: 'dryRun', content: 'true' }

describe('an import', () => {
  it('takes a setting that is undefined as absent', async () => {
    const settings = { maxRows: undefined, maxBytes: undefined, partial: undefined, deadline: undefined,
      logEvery: undefined }
    const { send, count } = await directory({ import: settings })
    expect(await send('name,email\nAda,ada@example.test\nB,bob@example.test\n')).toMatchObject({ code: 422 })
    expect(await count()).toBe(2)
    expect(await send('name,email\nAda,ada@example.test\n')).toMatchObject({ code: 200, data: { rows: 1, created: 1 } })
    expect(await count()).toBe(3)
  })

  it('replies with the message of `perAction`, except in a trial', async () => {
    const { send } = await directory({ perAction: { import: { message: 'All hired' } } })
    const file = 'name,email\nAda,ada@example.test\n'
    expect((await send(file, [trial])).message).toBe('Checked, nothing was imported')
    expect((await send(file)).message).toBe('All hired')
  })

  it('creates the rows of a file with the hooks of create', async () => {
    const seen: string[] = []
    const { send, rows } = await directory({
      before: { create: (fields: object) => ({ ...fields, secret: 'by import' }) },
      after: { create: (row: Person) => void seen.push(`after ${row.name}`) },
      afterCommit: { create: (row: Person) => void seen.push(`committed ${row.name}`) },
      scope: () => [['team', '=', 7]],
    }, people(0))
    expect(await send('email,name,age,status\r\na@example.test,Ann,30,\r\nb@example.test,"Ben, Jr.",,0\r\n')).toEqual(
      { code: 200, message: 'Imported', data: { rows: 2, created: 2, dryRun: false }, meta: {} },
    )
    expect(await rows()).toEqual([
      { id: 1, email: 'a@example.test', name: 'Ann', age: 30, status: 1, team: 7, secret: 'by import' },
      { id: 2, email: 'b@example.test', name: 'Ben, Jr.', age: null, status: 0, team: 7, secret: 'by import' },
    ])
    expect(seen).toEqual(['after Ann', 'after Ben, Jr.', 'committed Ann', 'committed Ben, Jr.'])
  })

  it('reports the errors of each line, and writes nothing', async () => {
    const store = people(2)
    const transaction = vi.spyOn(store, 'transaction')
    const { send, count } = await directory({}, store)
    const reply = await send(
      'email,name,status\r\na@example.test,"A\r\nnn",1\r\nb@example.test,B,one\r\n\r\nc@example.test\r\n,Cid,1\r\n',
    )
    expect(reply).toEqual({
      code: 422,
      message: 'Nothing was imported: 3 lines are not valid',
      meta: { reason: 'validation' },
      data: {
        'line.4.name': ['Too short'],
        'line.4.status': ['Must be a whole number'],
        'line.6': ['This line has 1 column, the first line 3'],
        'line.7.email': [expect.any(String)],
      },
    })
    expect([await count(), transaction.mock.calls.length]).toEqual([2, 0])
  })

  it('reports at most a hundred messages', async () => {
    const { send } = await directory()
    const { data, message } = await send(`email,name\n${'a@example.test,A\n'.repeat(1000)}`)
    expect(Object.keys(data)).toHaveLength(100)
    expect(Object.keys(data).at(-1)).toBe('line.101.name')
    expect(message).toBe('Nothing was imported: at least 100 lines are not valid')
    const several = (await send(`email,name,status,age\n${'a@example.test,A,x,y\n'.repeat(1000)}`)).data as Record<
      string,
      string[]
    >
    expect([Object.values(several).flat().length, Object.keys(several).at(-1)]).toEqual([100, 'line.35.name'])
  })

  it('names the line that the store or a hook refuses, and writes nothing', async () => {
    const asking = await directory({
      before: {
        create: ({ name }: { name: string }) => {
          if (name === 'Eve') throw new BusinessError('No Eves', 403)
        },
      },
    })
    const taken = await asking.send('email,name\na@example.test,Ann\np1@example.test,Ben\nc@example.test,Cid\n')
    expect([taken.code, taken.data]).toEqual([422, { 'line.3.email': ['Already taken'] }])
    expect((await asking.send('email,name\na@example.test,Ann\na@example.test,Ben\n')).data).toEqual({
      'line.3.email': ['Already taken'],
    })
    expect((await asking.send('email,name\na@example.test,Ann\nb@example.test,Eve\n')).data).toEqual({
      'line.3': ['No Eves'],
    })
    expect((await asking.send('email,name\nb@example.test,Half \u0000\n')).code).toBe(415)
    expect(await asking.count()).toBe(2)
  })

  it('refuses a misspelt name in the query, and writes nothing', async () => {
    const { send, count } = await directory()
    const file = 'email,name\na@example.test,Ann\n'
    const refused = await send(file, [], '?dryrun=true')
    expect([refused.code, Object.keys(refused.data as object)]).toEqual([422, ['dryrun']])
    expect(JSON.stringify(refused.data)).toContain('dryRun')
    expect(await count()).toBe(2)
    expect((await send(file, [{ name: '_csrf', content: 'x' }, trial])).code).toBe(200)
    const lenient = await directory({ unknownParams: ['lang'] })
    expect((await lenient.send(file, [], '?lang=de&dryRun=true')).code).toBe(200)
  })

  it('validates everything and writes nothing with dryRun in the form or the query', async () => {
    const committed: unknown[] = []
    const { send, count } = await directory({ afterCommit: { create: (row: Person) => void committed.push(row) } })
    const expected = {
      code: 200,
      message: 'Checked, nothing was imported',
      data: { rows: 1, created: 1, dryRun: true },
      meta: {},
    }
    expect(await send('email,name\na@example.test,Ann\n', [trial])).toEqual(expected)
    expect(await send('email,name\na@example.test,Ann\n', [], '?dryRun=true')).toEqual(expected)
    expect((await send('email,name\na@example.test,Ann\np1@example.test,Ben\n', [trial])).data).toEqual({
      'line.3.email': ['Already taken'],
    })
    expect((await send('email,name\na@example.test,Ann\n', [{ name: 'dryRun', content: 'yes' }])).code).toBe(422)
    expect([await count(), committed]).toEqual([2, []])
  })

  it('accepts commas, semicolons, tabs, a byte order mark and any order of columns', async () => {
    const { send, rows } = await directory({}, people(0))
    for (
      const text of [
        '\uFEFFname;email\nAnn;1@example.test\n',
        'email\tname\n2@example.test\tBen',
        '"name","email"\r\n"Cid","3@example.test"\r\n',
      ]
    ) expect((await send(text)).code).toBe(200)
    expect((await rows()).map(({ email, name }) => [email, name])).toEqual([['1@example.test', 'Ann'], [
      '2@example.test',
      'Ben',
    ], ['3@example.test', 'Cid']])
  })

  it('reports unknown, repeated and missing columns', async () => {
    const { send } = await directory()
    expect((await send('emial,name,name,secret\na,b,c,d\n')).data).toEqual({
      'line.1.emial': ['Unknown column. Use email, name, status, age'],
      'line.1.secret': [expect.any(String)],
      'line.1.name': ['This column appears twice'],
      'line.1.email': ['This column is missing'],
    })
    expect((await send('\n\nnome\n')).data).toHaveProperty(['line.3.nome'])
  })

  it.each([
    ['unknown columns', Array.from({ length: 190_000 }, (_, index) => index.toString(36))],
    [
      'one column after many others',
      [...Array.from({ length: 80_000 }, (_, index) => index.toString(36)), ...Array<string>(80_000).fill('email')],
    ],
  ])('refuses a first line with very many fields within the time of a test: %s', async (_name, headings) => {
    const { send } = await directory()
    const { code, data } = await send(`${headings.join()},email\nx\n`)
    expect(code).toBe(422)
    expect(Object.keys(data as object)).toHaveLength(50)
  })

  it('refuses a file of more than 100,000 empty lines, which are no rows', async () => {
    const { send } = await directory()
    expect(await send(`email,name\n${'\n'.repeat(100_000)}`)).toMatchObject({ code: 200, data: { rows: 0 } })
    expect(await send(`email,name\n${'\n'.repeat(100_001)}`)).toMatchObject({ code: 413 })
  })

  it('accepts an exported file with headings, unwritable columns and escaped formulas', async () => {
    const store = people(0)
    await store.create({ email: '=e@example.test', name: "''tis -1", status: -5, age: null })
    const { url, send, rows } = await directory({
      export: { columns: { id: '=No', email: 'E-mail', name: 'Name', status: 'status', age: 'Age', team: 'team' } },
    }, store)
    const file = await (await fetch(`${url}/people/export`, { method: 'POST' })).text()
    expect(file).toBe("'=No,E-mail,Name,status,Age,team\r\n1,'=e@example.test,''tis -1,-5,,0\r\n")
    await store.delete([1])
    expect((await send(file)).code).toBe(200)
    expect(await rows()).toEqual([{
      id: 2,
      email: '=e@example.test',
      name: "''tis -1",
      status: -5,
      age: null,
      team: 0,
      secret: '',
    }])
  })

  it('accepts configured headings', async () => {
    const { send, rows } = await directory({ import: { columns: { email: 'E-Mail', name: 'Vorname' } } }, people(0))
    expect((await send('Vorname;E-Mail\nAnn;a@example.test\n')).code).toBe(200)
    expect((await send('name;E-Mail\nA;a@example.test\n')).data).toEqual({
      'line.1.Vorname': ['This column is missing'],
    })
    expect((await send('Vorname;E-Mail\nA;a@example.test\n')).data).toEqual({ 'line.2.name': ['Too short'] })
    expect(await rows()).toHaveLength(1)
  })

  it('ignores fields that the caller may not write', async () => {
    const { send, rows } = await directory({ fields: { status: { write: () => false } } }, people(0))
    await send('email,name,status\na@example.test,Ann,9\n')
    expect(await rows()).toEqual([expect.objectContaining({ status: 1 })])
  })

  it.each([
    ['a quote that is not closed', 'email,name\na@example.test,Ann\n"b,Ben\n', 422, {
      'line.3': ['A quote is opened and never closed'],
    }],
    ['a quote in the middle', 'email,name\na"b,Ann\n', 422, { 'line.2': [expect.stringContaining('quote')] }],
    ['nothing but empty lines', '\n\n', 422, { file: ['The first line must name the columns'] }],
    ['no bytes', '', 422, { file: ['This file is empty'] }],
    ['Latin-1', Buffer.from('email,name\na@example.test,Jürgen\n', 'latin1'), 415, null],
    ['a workbook', Buffer.from('PK\x03\x04\x14\x00\x06\x00'), 415, null],
  ])('refuses a file with %s', async (_, file, code, data) => {
    const { send, count } = await directory()
    expect(await send(file)).toMatchObject({ code, data })
    expect(await count()).toBe(2)
  })

  it('accepts a file without rows, and one that begins like an image', async () => {
    const { send } = await directory({ input: PersonIn.extend({ BMI: param.number().optional() }) })
    expect((await send('BMI,email,name\n')).data).toEqual({ rows: 0, created: 0, dryRun: false })
  })

  it('reports asynchronous checks by row, and replies 500 if a check throws', async () => {
    const allowed = z.string().optional().refine(async (name) => Promise.resolve(name !== 'Eve'), 'No Eves')
    const { send } = await directory({
      input: PersonIn.extend({ name: allowed }),
      before: { create: (fields: object) => ({ name: 'Nobody', ...fields }) },
    })
    expect((await send('email\nc@example.test\n')).data).toMatchObject({ created: 1 })
    expect((await send('email,name\na@example.test,Ann\nb@example.test,Eve\n')).data).toEqual({
      'line.3.name': ['No Eves'],
    })
    const broken = await directory({
      input: PersonIn.extend({
        name: z.string().refine((name) => {
          if (name === 'Eve') throw new Error('A fault')
        }, 'x'),
      }),
    })
    expect((await broken.send('email,name\nb@example.test,Eve\n')).code).toBe(500)
  })

  it.each([[false, 'all rows together'], [true, 'each row by itself']])(
    'runs an asynchronous check once for each row (partial: %s, %s)',
    async (partial) => {
      const checked: string[] = []
      const email = z.string().refine(async (value) => {
        checked.push(value)
        return Promise.resolve(true)
      })
      const { send } = await directory({ input: PersonIn.extend({ email }), import: { partial } })
      expect((await send('email,name\nc@example.test,Cid\nd@example.test,Dan\n')).data).toMatchObject({ created: 2 })
      expect(checked).toEqual(['c@example.test', 'd@example.test'])
    },
  )

  it('runs in a route of the application', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { import: action } = crud(people(0), { ...base, import: { logEvery: 1 } }).custom
    const app = express().post(
      '/people/import',
      upload(action.files),
      async (req, res) => send(res, 'ok', await action.handler(req, res, {})),
    )
    const { url } = await serving(app)
    expect((await sent(url, 'email,name\na@example.test,Ann\n')).data).toMatchObject({ data: { created: 1 } })
    expect(logged.mock.calls).toEqual([['Import into a resource: 1 of 1 rows']])
    logged.mockRestore()
  })

  it('requires a file in the field `file`', async () => {
    const { url } = await directory()
    const asked = async (...parts: FormPart[]): Promise<Body> =>
      await (await fetch(`${url}/people/import`, {
        method: 'POST',
        headers: { 'content-type': FORM_TYPE },
        body: new Uint8Array(formOf(...parts)),
      }))
        .json() as Body
    expect((await asked(trial)).data).toEqual({ file: ['A file is required'] })
    expect((await asked({ name: 'csv', filename: 'a.csv', content: 'a' })).data).toHaveProperty('csv')
    expect(
      (await (await fetch(`${url}/people/import`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: 'a',
      }))
        .json() as Body)
        .code,
    )
      .toBe(415)
  })

  it('replies 413 to more rows or bytes than allowed', async () => {
    const { send, count } = await directory({ import: { maxRows: 2, maxBytes: 200 } })
    expect(await send('email,name\n1@a.b,Ann\n2@a.b,Ann\n3@a.b,Ann\n')).toMatchObject({
      code: 413,
      message: 'The file has more than 2 rows',
      meta: { reason: 'too_large' },
    })
    expect((await send(`email,name\n${'x'.repeat(200)},Ann\n`)).code).toBe(413)
    expect(await count()).toBe(2)
  })

  it('logs its progress', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const file = `email,name\n${Array.from({ length: 5 }, (_, index) => `${index}@example.test,Ann`).join('\n')}`
    await (await directory({ import: { logEvery: 2 } })).send(file)
    await (await directory({ import: { logEvery: 4, partial: true } })).send(file)
    expect(logged.mock.calls).toEqual([['Import into people: 2 of 5 rows'], ['Import into people: 4 of 5 rows'], [
      'Import into people: 4 rows',
    ]])
    logged.mockRestore()
  })

  it('leaves no temporary file and no memory in use', async () => {
    const { send } = await directory()
    const line = `${'x'.repeat(10_000)}@example.test,A\n`
    expect((await send(`email,name\n${line.repeat(100)}`)).code).toBe(422)
    await vi.waitFor(() => expect(memoryHeld()).toBe(0))
    expect((await readdir(tmpdir())).filter((name) => /^resourcery-.*\.upload$/.test(name))).toEqual([])
  })

  it('is the action `import` with its own permission, and documented', () => {
    const app = express()
    mountResource(app, {
      app: 'admin',
      route: '/people',
      name: 'people',
      ...crud(people(), { ...base, import: { maxBytes: 5000 } }),
    })
    expect(routesOf(app).filter(({ action }) => action === 'import')).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/people/import',
        permission: 'admin.people.import',
        files: { file: { maxBytes: 5000, required: true } },
      }),
    ])
    const { paths, components } = openapi(app, { title: 'People', version: '1' })
    const { post } = paths['/people/import'] as unknown as { post: { requestBody: object; parameters: object[] } }
    expect(post.requestBody).toMatchObject({
      required: true,
      content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/PersonImport' } } },
    })
    expect(components.schemas.PersonImport).toMatchObject({
      properties: { file: { format: 'binary' }, dryRun: { type: 'boolean' } },
      required: ['file'],
    })
    expect(post.parameters).toEqual([expect.objectContaining({ name: 'dryRun', in: 'query' })])
  })

  it.each<[string, object]>([
    ['crud_import', { import: { maxRows: 0 } }],
    ['crud_import', { import: { maxBytes: 1.5 } }],
    ['crud_import', { import: { logEvery: -1 } }],
    ['crud_import', { import: { columns: ['id'] } }],
    ['crud_deadline', { import: { deadline: 0 } }],
    ['csv_columns', { import: { columns: { email: 'x', name: 'x' } } }],
  ])('throws %s for %j', (code, options) => {
    expect(() => crud(people(), { ...base, ...options })).toThrow(expect.objectContaining({ code }))
  })
})

describe('a partial import', () => {
  const file =
    'email,name,status\na@example.test,Ann,1\nb@example.test,B,1\np1@example.test,Cid,1\nd@example.test,Dan\ne@example.test,Eve,0\n'
  const faults = {
    'line.3.name': ['Too short'],
    'line.4.email': ['Already taken'],
    'line.5': ['This line has 2 columns, the first line 3'],
  }

  it('writes the valid rows, and reports the invalid ones', async () => {
    const committed: string[] = []
    const { send, rows } = await directory({
      import: { partial: true },
      afterCommit: { create: ({ name }: Person) => void committed.push(name) },
    })
    expect((await send(file, [trial])).data).toEqual({ rows: 5, created: 2, dryRun: true, faults })
    expect([await rows(), committed]).toEqual([[expect.anything(), expect.anything()], []])
    expect((await send(file)).data).toEqual({ rows: 5, created: 2, dryRun: false, faults })
    expect((await rows()).map(({ name }) => name)).toEqual(['Ann', 'Ben', 'Ann', 'Eve'])
    expect(committed).toEqual(['Ann', 'Eve'])
  })

  it('stays a success if the rows cannot be read again for `afterCommit`', async () => {
    const store = people(0)
    const committed: string[] = []
    const { send, count, failures } = await directory({
      afterCommit: { create: ({ name }: Person) => void committed.push(name) },
    }, { ...store, find: () => Promise.reject(new UnavailableError('The database gave no answer')) })
    const { code, data } = await send('email,name\na@example.test,Ann\n')
    expect([code, data]).toEqual([200, { rows: 1, created: 1, dryRun: false }])
    expect([await count(), committed]).toEqual([1, []])
    expect(failures).toEqual([expect.objectContaining({ message: 'The database gave no answer' })])
  })

  it('omits `faults` if all rows are valid, and passes on errors of the store', async () => {
    const store = people(0)
    const { send, failures } = await directory({ import: { partial: true } }, store)
    expect((await send('email,name\na@example.test,Ann\n')).data).toEqual({ rows: 1, created: 1, dryRun: false })
    vi.spyOn(store, 'transaction').mockRejectedValue(new UnavailableError('The database gave no answer'))
    expect((await send('email,name\nb@example.test,Ben\n')).code).toBe(503)
    expect(failures).toHaveLength(1)
  })

  it('runs `afterCommit` for the rows before an error of the server', async () => {
    const committed: string[] = []
    const { send, rows } = await directory({
      import: { partial: true },
      before: {
        create: ({ name }: Person) => {
          if (name === 'Broken') throw new Error('The hook is broken')
        },
      },
      afterCommit: { create: ({ name }: Person) => void committed.push(name) },
    }, people(0))
    const broken = 'email,name\na@example.test,Ann\nb@example.test,Ben\nc@example.test,Broken\nd@example.test,Dan\n'
    expect((await send(broken, [trial])).code).toBe(500)
    expect(committed).toEqual([])
    expect((await send(broken)).code).toBe(500)
    expect((await rows()).map(({ name }) => name)).toEqual(['Ann', 'Ben'])
    expect(committed).toEqual(['Ann', 'Ben'])
  })
})

describe('an interrupted import', () => {
  it('replies the error of the store or of a hook, and writes nothing', async () => {
    const { send, failures, count } = await directory({
      before: {
        create: ({ name }: { name: string }) => {
          throw name === 'Ann' ? new UnavailableError('Down') : new Error('A fault')
        },
      },
    })
    expect((await send('email,name\na@example.test,Ann\n')).code).toBe(503)
    expect((await send('email,name\na@example.test,Ben\n')).meta).toEqual({ reason: 'internal' })
    expect([await count(), failures.length]).toEqual([2, 2])
  })

  it('has its own deadline, also on the server, and writes nothing after it', async () => {
    const store = people(2)
    const app = express()
    const after = { create: () => new Promise<void>((resolve) => setTimeout(resolve, 100)) }
    const made = (deadline: number) => crud(store, { ...base, import: { deadline }, deadline: 0.01, after })
    mountResource(app, { route: '/people', name: 'people', actions: false, ...made(20) })
    mountResource(app, { route: '/short/people', name: 'short', actions: false, ...made(0.15) })
    const { url, close } = await serve(app.use(errorHandler({ log: () => undefined })), {
      port: 0,
      host: '127.0.0.1',
      signals: false,
      deadline: 0.1,
    })
    const three = 'email,name\n1@example.test,Ann\n2@example.test,Ben\n3@example.test,Cid\n'
    expect((await sent(`${url}/short`, three)).code).toBe(503)
    expect((await sent(url, three)).data).toEqual({ rows: 3, created: 3, dryRun: false })
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(5)
    await close()
  })

  it('stops if the client disconnects, and writes nothing', async () => {
    let created = 0
    let proceed = (): void => undefined
    let reach = (): void => undefined
    const reached = new Promise<void>((resolve) => (reach = resolve))
    const gone = new Promise<void>((resolve) => (proceed = resolve))
    const store = people(2)
    const over = vi.fn()
    const watched: Store<Person> = { ...store, transaction: (work) => store.transaction(work).finally(over) }
    const app = express()
    const failures: unknown[] = []
    const after = { create: async () => {
      created++
      reach()
      await gone
    } }
    mountResource(app, { route: '/people', name: 'people', ...crud(watched, { ...base, after }) })
    const { url, server } = await serving(app.use(errorHandler({ log: (error) => failures.push(error) })))
    server.once('request', (_req, res: Response) => res.once('close', proceed))
    const body = formOf({
      name: 'file',
      filename: 'a.csv',
      content: `email,name\n${Array.from({ length: 50 }, (_, index) => `${index}@example.test,Ann`).join('\n')}`,
    })
    const asking = request(`${url}/people/import`, {
      method: 'POST',
      headers: { 'content-type': FORM_TYPE, 'content-length': body.length },
    })
      .on('error', () => undefined)
      .end(body)
    await reached
    asking.destroy()
    await vi.waitFor(() => expect(over).toHaveBeenCalled())
    expect([created, await store.list({ where: [], order: ['id'] }).count?.(), failures]).toEqual([1, 2, []])
  })

  it('writes the rows again if the store repeats the transaction', async () => {
    const store = people(0)
    const twice: Store<Person> = {
      ...store,
      transaction: async (work) => {
        await store.transaction(async (inside) => {
          await work(inside)
          throw new Error('Undone')
        }).catch(() => undefined)
        return store.transaction(work)
      },
    }
    const { send, count } = await directory({}, twice)
    expect((await send('email,name\na@example.test,Ann\nb@example.test,Ben\n')).data).toEqual({
      rows: 2,
      created: 2,
      dryRun: false,
    })
    expect(await count()).toBe(2)
  })
})

describe('an import into a database', () => {
  interface Tables {
    notes: { id: number; title: string; at: Date }
    labels: { id: Generated<number>; name: string; deletedAt: Date | null }
  }
  const Note = z.object({ id: param.int(), title: z.string().min(1), at: param.date() })
  let database: TestDatabase<Tables>
  beforeAll(async () => {
    database = await openEmbedded<Tables>()
    await database
      .db
      .schema
      .createTable('notes')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('title', 'text')
      .addColumn('at', 'timestamptz')
      .execute()
    await database
      .db
      .schema
      .createTable('labels')
      .addColumn('id', 'serial', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('deletedAt', 'timestamptz')
      .execute()
  })
  afterAll(() => database.close())

  const file = (last: string): string =>
    `id,title,at\r\n${
      Array.from({ length: 2999 }, (_, index) => `${index + 1},Note ${index + 1},2026-11-21`).join('\r\n')
    }\r\n${last}\r\n`

  it('writes all of thousands of rows, or none and names the line', { timeout: 60_000 }, async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const app = express()
    let inserts = 0
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => {
        inserts += Number(node.kind === 'InsertQueryNode')
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    })
    mountResource(app, {
      route: '/people',
      name: 'notes',
      ...crud(kyselyStore(db, 'notes'), { input: Note, output: Note, import: true }),
    })
    const { url } = await serving(app.use(errorHandler()))
    const stored = async (): Promise<number> => (await database.db.selectFrom('notes').select('id').execute()).length
    expect((await sent(url, file('3000,,2026-11-21'))).data).toEqual({ 'line.3001.title': [expect.any(String)] })
    expect((await sent(url, file('7,Seven,2026-11-21'))).data).toEqual({ 'line.3001.id': ['Already taken'] })
    expect((await sent(url, file('9999999999,Large,2026-11-21'))).data).toEqual({ 'line.3001.id': ['Is out of range'] })
    expect(await stored()).toBe(0)
    expect((await sent(url, file('3000,Last,2026-11-21'), [trial])).data).toEqual({
      rows: 3000,
      created: 3000,
      dryRun: true,
    })
    expect(await stored()).toBe(0)
    inserts = 0
    expect((await sent(url, file('3000,Last,2026-11-21'))).data).toEqual({ rows: 3000, created: 3000, dryRun: false })
    expect(await stored()).toBe(3000)
    expect(inserts).toBe(6)
    expect(logged).not.toHaveBeenCalled()
    logged.mockRestore()
  })

  it.each([true, false])('names the value of a soft-deleted row as a creation does, with partial: %s',
    async (partial) => {
      await database.db.deleteFrom('labels').execute()
      await database.db.insertInto('labels').values([
        { name: 'red', deletedAt: new Date() },
        { name: 'blue', deletedAt: null },
      ]).execute()
      const mounted = async (allows: boolean): Promise<string> => {
        const app = express()
        const labels = crud(kyselyStore(database.db, 'labels'), {
          input: z.object({ name: z.string() }),
          output: z.object({ id: z.int(), name: z.string() }),
          softDelete: { field: 'deletedAt', unique: ['name'], allows: () => allows },
          import: { partial },
        })
        mountResource(app, { route: '/people', name: 'labels', ...labels })
        return (await serving(app.use(errorHandler({ log: () => undefined })))).url
      }
      const faultsOf = async (url: string, name: string): Promise<unknown> => {
        const { data } = await sent(url, `name\n${name}\n`)
        return partial ? (data as { faults: unknown }).faults : data
      }
      const forKeepers = await mounted(true)
      expect(await faultsOf(forKeepers, 'red')).toEqual({ 'line.2.name': ['A deleted record uses this value'] })
      expect(await faultsOf(forKeepers, 'blue')).toEqual({ 'line.2.name': ['Already taken'] })
      expect(await faultsOf(await mounted(false), 'red')).toEqual({ 'line.2.name': ['Already taken'] })
    })

  it('asks field rules before it takes the only connection', async () => {
    const allows = async (): Promise<boolean> =>
      (await database.db.selectFrom('notes').select('id').limit(1).execute()).length < 0
    const app = express()
    const notes = crud(kyselyStore(database.db, 'notes'), {
      input: Note,
      output: Note,
      import: { deadline: 10 },
      fields: { title: { read: allows }, at: { write: allows } },
    })
    mountResource(app, { route: '/people', name: 'notes', ...notes })
    const { url } = await serving(app.use(errorHandler({ log: () => undefined })))
    expect((await sent(url, 'id,title,at\n5000,Rule,2026-11-21\n')).data).toMatchObject({ created: 1 })
  })
})
