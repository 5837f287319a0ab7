import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { run } from '../../lib/tools/cli/run.js'
import { folder, modules, typed, type Outcome } from './typed.js'

const app = `${modules}app.ts`
const makes = `${modules}makes.ts`

describe('resourcery routes', () => {
  it('prints the manifest for clients with --manifest, of one application with --app', async () => {
    const { status, out } = await typed('routes', app, '--manifest', '--app', 'shop')
    expect({ status, routes: JSON.parse(out) as unknown }).toEqual({
      status: 0,
      routes: [{ name: 'orders.list', method: 'GET', path: '/orders' }],
    })
    expect(JSON.parse((await typed('routes', app, '--manifest')).out)).toHaveLength(5)
    expect(await typed('routes', app, '--manifest', '--app', 'nope')).toMatchObject({ status: 2, out: '' })
  })

  it('prints a table in the order of Express, with undeclared handlers marked', async () => {
    expect(await typed('routes', app)).toEqual({
      status: 0,
      error: '',
      out: [
        'METHOD  PATH           NAME                PERMISSION        AUTH',
        'GET     /users         admin.users.list    admin.users.list  required',
        'GET     /users/health  admin.users.health  -                 public',
        'GET     /users/:id     admin.users.show    admin.users.show  required',
        'POST    /notes         notes.create        -                 -',
        'GET     /orders        shop.orders.list    -                 optional',
        'GET     /by-hand       (undeclared)        -                 -',
        '*       /any           (undeclared)        -                 -',
      ].join('\n'),
    })
  })

  it('prints JSON with --json', async () => {
    const { out } = await typed('routes', app, '--json')
    expect(JSON.parse(out)).toContainEqual({
      method: 'GET',
      path: '/users',
      name: 'admin.users.list',
      permission: 'admin.users.list',
      auth: true,
    })
    expect(JSON.parse(out)).toContainEqual({
      method: 'GET',
      path: '/by-hand',
      name: null,
      permission: null,
      auth: null,
    })
  })

  it('calls an exported function that creates the router', async () => {
    expect((await typed('routes', makes, '--export', 'assemble')).out).toContain('admin.users.list')
  })
})

describe('an option of another command', () => {
  it.each([
    ['routes', '--check'],
    ['routes', '--out', 'x.txt'],
    ['routes', '--app', 'admin'],
    ['routes', '--manifest', '--fast'],
    ['routes', '--callers', 'f.json'],
    ['openapi', '--fast'],
    ['openapi', '--budget', '3'],
    ['doctor', '--app', 'desk'],
    ['permissions', '--title', 'x'],
  ])('is refused by `%s %s`', async (command, option, ...value) => {
    const { status, out, error } = await typed(command, app, option, ...value)
    expect([status, out]).toEqual([2, ''])
    expect(error).toContain(option)
  })
})

describe('a name that no route has', () => {
  it.each([
    ['permissions', '--app', 'No route belongs to the application `nope`: there are admin, shop.'],
    ['openapi', '--doc', 'No route belongs to the documentation domain `nope`: there are admin, shop.'],
  ])('is refused by `%s %s`', async (command, option, error) => {
    expect(await typed(command, app, option, 'nope')).toEqual({ status: 2, out: '', error })
  })
})

describe('a module in CommonJS', () => {
  const router = Router().get('/by-hand', (_req, res) => void res.end())
  const load = async (exported: object, ...more: string[]): Promise<Outcome> => {
    const [out, error]: [string[], string[]] = [[], []]
    const status = await run(['routes', 'app.js', ...more], (text) => out.push(text), (text) => error.push(text),
      () => Promise.resolve(exported))
    return { status, out: out.join('\n'), error: error.join('\n') }
  }

  it.each<[string, object, string[]]>([
    ['is the app', { default: router }, []],
    ['was compiled from an ES module', { __esModule: true, default: { default: router } }, []],
    ['is an object that Node.js cannot read names from', { default: { app: router, port: 3000 } }, []],
    ['has another name', { default: { makeServer: () => router } }, ['--export', 'makeServer']],
  ])('is loaded if what it exports %s', async (_what, exported, more) => {
    expect(await load(exported, ...more)).toMatchObject({ status: 0,
      out: expect.stringContaining('/by-hand') as string })
  })

  it('may have no application to choose', async () => {
    const error: string[] = []
    const status = await run(['permissions', 'app.js', '--app', 'nope'], () => undefined, (text) => error.push(text),
      () => Promise.resolve({ default: router }))
    expect([status, error]).toEqual([2, ['No route belongs to the application `nope`: no route has one.']])
  })

  it('is refused with the names that it exports', async () => {
    expect((await load({ default: { makeServer: () => router } })).error).toContain('It exports `makeServer`.')
    expect((await load({ default: createServer() })).error).toMatch(/ with --export\. `default` is a server\.$/)
    expect((await load({ default: { web: createServer() } })).error).toMatch(/ with --export\. `web` is a server\.$/)
  })
})

describe('resourcery permissions', () => {
  it('prints the tree of permissions', async () => {
    expect((await typed('permissions', app)).out).toBe(
      'Users (users)\n  admin.users.list  List users\n  admin.users.show  Show one user',
    )
    expect((await typed('permissions', app, '--app', 'shop')).out).toBe('No route requires a permission.')
    expect(JSON.parse((await typed('permissions', app, '--json')).out)).toMatchObject([{
      label: 'Users',
      name: 'users',
      children: [{ action: 'list' }, { action: 'show' }],
    }])
  })
})

describe('resourcery openapi', () => {
  it('prints the document, of one domain if requested', async () => {
    const document = JSON.parse(
      (await typed(
        'openapi',
        app,
        '--doc',
        'shop',
        '--title',
        'Shop',
        '--version',
        '1.2.3',
        '--server',
        'https://a.test',
      ))
        .out,
    ) as object
    expect(document).toMatchObject({
      info: { title: 'Shop', version: '1.2.3' },
      servers: [{ url: 'https://a.test' }],
      paths: { '/orders': {} },
    })
    expect(document).not.toHaveProperty(['paths', '/users'])
  })

  it('writes a file, confirms that it is current, and lists differences', async () => {
    const out = join(await folder(), 'openapi.json')
    expect(await typed('openapi', app, '--out', out)).toEqual({ status: 0, out: `Written: ${out}`, error: '' })
    expect(await typed('openapi', app, '--out', out, '--check')).toEqual({
      status: 0,
      out: `Up to date: ${out}`,
      error: '',
    })
    const document = JSON.parse(await readFile(out, 'utf8')) as {
      info: { title: string }
      paths: Record<string, unknown>
      tags: unknown[]
    }
    document.info.title = 'Another'
    delete document.paths['/notes']
    document.paths['/gone'] = {}
    await writeFile(out, JSON.stringify(document))
    const stale = await typed('openapi', app, '--out', out, '--check')
    expect(stale.status).toBe(1)
    expect(stale.out.split('\n')).toEqual([
      `Stale: ${out}`,
      '  ~ info › title "Another" -> "API"',
      '  - paths › /gone {}',
      expect.stringMatching(/^ {2}\+ paths › \/notes \{"post":/),
    ])
    expect(JSON.parse((await typed('openapi', app, '--out', out, '--check', '--json')).out)).toMatchObject({
      stale: true,
      differences: [{}, {}, {}],
    })
  })

  it('takes a file with carriage returns and a byte order mark as current', async () => {
    const out = join(await folder(), 'openapi.json')
    await typed('openapi', app, '--out', out)
    await writeFile(out, `\uFEFF${(await readFile(out, 'utf8')).replaceAll('\n', '\r\n')}`)
    expect(await typed('openapi', app, '--out', out, '--check')).toMatchObject({
      status: 0,
      out: `Up to date: ${out}`,
    })
  })

  it('reports a missing, invalid or reformatted file as stale, and shortens long differences', async () => {
    const out = join(await folder(), 'openapi.json')
    expect(await typed('openapi', app, '--out', out, '--check')).toMatchObject({
      status: 1,
      out: `Stale: ${out}\n  + ${out} does not exist`,
    })
    await writeFile(out, 'no json')
    expect(await typed('openapi', app, '--out', out, '--check')).toMatchObject({
      status: 1,
      out: expect.stringContaining('+ openapi "3.1.1"') as string,
    })
    await typed('openapi', app, '--out', out)
    await writeFile(out, (await readFile(out, 'utf8')).trim())
    expect(await typed('openapi', app, '--out', out, '--check')).toMatchObject({
      status: 1,
      out: expect.stringContaining('in another way') as string,
    })
    await writeFile(
      out,
      JSON.stringify({
        many: Array.from({ length: 60 }, (_, index) => index),
        ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}`, 1])),
      }),
    )
    expect((await typed('openapi', app, '--out', out, '--check')).out).toMatch(/… and \d+ more$/)
  })
})

describe('a command with a mistake', () => {
  it.each([
    [['nonsense', app], 'There is no command `nonsense`'],
    [['constructor', app, '--json'], 'There is no command `constructor`'],
    [['routes'], '`resourcery routes` takes one module'],
    [['routes', app, '--nonsense'], "Unknown option '--nonsense'"],
    [['routes', `${modules}missing.ts`], 'cannot be loaded'],
    [['routes', makes, '--export', 'absent'], 'exports no `absent`. It exports `assemble`'],
    [['routes', makes, '--export', 'number'], 'neither an Express app, nor a Router'],
    [['routes', makes, '--export', 'makesNothing'], 'returned neither an Express app nor a Router'],
    [['routes', makes], '`default` of'],
    [['routes', `${modules}../run.spec.ts`.replace('run.spec.ts', '../../lib/tools/cli/load-routes.ts')],
      'exports no app'],
    [['openapi', app, '--check'], 'Name the file with --out'],
    [['openapi', app, '--out', join(modules, 'no-folder', 'openapi.json')], 'cannot be written: ENOENT'],
    [['routes', `${modules}faulty.ts`], 'thrown'],
    [['routes', `${modules}faulty.ts`, '--export', 'broken'], 'has the app `no app`'],
    [['openapi', app, '--title', ''], 'needs a `title`'],
  ])('is refused with a message: %j', async (argv, words) => {
    const { status, out, error } = await typed(...argv)
    expect([status, out]).toEqual([2, ''])
    expect(error).toContain(words)
    expect(error).not.toMatch(/^\s+at /m)
  })

  it('prints the usage if there are no arguments', async () => {
    expect(await typed()).toMatchObject({
      status: 0,
      out: expect.stringContaining('resourcery routes <module>') as string,
    })
    expect((await typed('routes', '--help')).out).toContain('--check')
    expect((await typed('-h')).out).toContain('--check')
  })

  it('prints the commands, flags and exit codes that docs/command-line.md describes', async () => {
    const [out = ''] = (await typed('--help')).out.split('A TypeScript module')
    const page = await readFile(new URL('../../docs/command-line.md', import.meta.url), 'utf8')
    const described = page.slice(page.indexOf('## Commands for an app'))
    for (const pattern of [/resourcery ([a-z]+) /g, /(?<![\w-])(--[a-z][a-z-]+)/g, /(?<=[:,] )([012]) \w+/g]) {
      const named = (text: string): string[] => [...new Set([...text.matchAll(pattern)].map(([, one = '']) => one))]
      expect(named(out).sort()).toEqual(named(described).sort())
    }
  })
})

describe('resourcery access', () => {
  async function callersIn(text: string): Promise<string> {
    const file = join(await folder(), 'callers.json')
    await writeFile(file, text)
    return file
  }

  const guarded = `${modules}guarded.ts`
  const TABLE = [
    'METHOD  PATH    NAME              admin  anonymous',
    'GET     /users  admin.users.list  pass   401',
    'POST    /login  (undeclared)      pass   401',
  ].join('\n')

  it('prints who may call which route', async () => {
    const callers = await callersIn('{ "admin": { "id": 1, "role": "admin" }, "anonymous": null }')
    expect(await typed('access', guarded, '--callers', callers)).toEqual({ status: 0, error: '', out: TABLE })
    const { out } = await typed('access', guarded, '--callers', callers, '--json')
    expect(JSON.parse(out)).toMatchObject({ rows: [{ access: { admin: 'pass', anonymous: 401 } }, {}], findings: [] })
  })

  it('exits with 1 and a sentence for each route whose guards fail', async () => {
    const { status, out } = await typed('access', app, '--callers', await callersIn('{ "anonymous": null }'))
    expect(status).toBe(1)
    expect(out).toContain('\nGET /users for `anonymous`: the guards answer 500 instead of 401 or 403.')
  })

  it('writes the table to a file, and exits with 1 if the file is stale', async () => {
    const callers = await callersIn('{ "admin": { "id": 1, "role": "admin" }, "anonymous": null }')
    const out = join(await folder(), 'access.txt')
    const command = ['access', guarded, '--callers', callers, '--out', out]
    expect(await typed(...command, '--check')).toMatchObject({ status: 1,
      out: `Stale: ${out}\n+ ${out} does not exist` })
    expect(await typed(...command)).toMatchObject({ status: 0, out: `Written: ${out}` })
    expect(await readFile(out, 'utf8')).toBe(`${TABLE}\n`)
    expect(await typed(...command, '--check')).toMatchObject({ status: 0, out: `Up to date: ${out}` })
    await writeFile(out, `${TABLE.replace('pass   401', '403    401')}\n`)
    expect(await typed(...command, '--check')).toMatchObject({
      status: 1,
      out: `Stale: ${out}\n- GET  /users  admin.users.list  403  401\n+ GET  /users  admin.users.list  pass  401`,
    })
  })

  it.each([
    ['no file of callers', undefined, 'Name a file of callers with --callers'],
    ['a file that is no JSON', '{', 'callers.json cannot be read'],
    ['a caller without an id', '{ "admin": {} }', 'Give it an id'],
    ['no callers', '{}', 'needs callers by name'],
  ])('exits with 2 for %s', async (_what, text, message) => {
    const callers = text === undefined ? [] : ['--callers', await callersIn(text)]
    const { status, error } = await typed('access', guarded, ...callers)
    expect([status, error]).toEqual([2, expect.stringContaining(message)])
  })
})
