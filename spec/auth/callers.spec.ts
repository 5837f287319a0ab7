import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

/*
 * The types of callers that an application declares. A declaration applies to a whole program, so that each of these is
 * compiled on its own.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))

const SETTING = `
import express from 'express'
import { z } from 'zod'
import { auth, authOf, permission, type Auth, type Caller, type LoadOptions } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { inject } from 'resourcery/testing'
const app = express()
const secret = 'x'.repeat(32)
declare const key: (claims: Auth, req: express.Request) => string
declare const tenant: (req: express.Request) => typeof caller
declare const caller: { id: number; tenantId: string }
const Note = z.object({ id: z.int(), tenantId: z.string() })
const notes = memoryStore({ key: 'id', rows: [{ id: 1, tenantId: 'a' }] })
const options = { input: Note.pick({ tenantId: true }), output: Note }
const provider = { jwks: { keys: [] }, issuer: 'i', audience: 'a' }
`

const ONE = "declare module 'resourcery' { interface Callers { admin: { tenantId: string } } }"
const BOTH = 'admin: { tenantId: string }; shop: { customerId: number }'
const TWO = `declare module 'resourcery' { interface Callers { ${BOTH} } }`

const FITTING: Readonly<Record<string, readonly string[]>> = {
  '': [
    'app.use((req) => { const a: Auth | undefined = req.auth; const b: unknown = req.auth?.tenantId; return [a, b] })',
    "auth('admin', { secret, load: async ({ id }, req) => ({ id, path: req.path }) })",
    "auth('admin', { secret, load: () => null }).forget(7).then(() => 1)",
    "auth('admin', { verify: () => ({ id: 1, team: 'a' }) })",
    "inject(app, { method: 'GET', path: '/', as: { id: 1, app: 'admin', team: 'a' } })",
    "permission('admin', { allows: ({ id, team }) => id === 1 && team === 'a' })",
  ],
  [ONE]: [
    'app.use((req) => { const tenant: string | undefined = req.auth?.tenantId; return tenant })',
    'app.use((req) => { const tenant: string | undefined = authOf(req)?.tenantId; return tenant })',
    "app.use((req) => { const tenant: string | undefined = authOf(req, 'admin')?.tenantId; return tenant })",
    'app.use((req) => { const role: string | undefined = req.auth?.role; return role })',
    'app.use((req) => { const team: unknown = req.auth?.team; return team })',
    "crud(notes, { ...options, scope: (req) => [['tenantId', '=', req.auth?.tenantId ?? '']] })",
    "permission('admin', { allows: ({ tenantId }) => tenantId.startsWith('a') })",
    "auth('admin', { secret, load: () => caller })",
    "auth('admin', { secret, load: async ({ id }) => ({ id, tenantId: 'a', role: 'editor', email: 'a@b' }) })",
    "auth('admin', { secret, load: () => null })",
    "auth('admin', { ...provider, load: { run: () => caller } })",
    "auth('admin', { secret, load: { run: ({ id }, req) => ({ id, tenantId: req.path }) } })",
    "auth('admin', { secret, load: { run: ({ id }) => ({ id, tenantId: 'a' }), seconds: 60 } })",
    "auth('admin', { secret, load: { run: ({ id }, req) => ({ id, tenantId: req.path }), seconds: 60, key } })",
    "auth('admin', { secret, load: { run: (_, req) => tenant(req), seconds: 60, key: (_, req) => req.path } })",
    "auth('admin', [{ secret, load: () => caller }, { verify: () => caller }]).forget('7')",
    "inject(app, { method: 'GET', path: '/', as: { id: 1, tenantId: 'a', role: 'editor' } })",
    "auth('other', { verify: () => ({ id: 1 }) })",
    "permission('other', { allows: ({ team }) => team === 'a' })",
    "const admin: Caller<'admin'> = { id: 1, tenantId: 'a' }; const other: Caller<'other'> = { id: 1 }; [admin, other]",
    "const load: LoadOptions<'admin'> = () => caller; load",
  ],
  [TWO]: [
    "app.use((req) => { const id: number | undefined = authOf(req, 'shop')?.customerId; return id })",
    'app.use((req) => { const either: unknown = req.auth?.tenantId; return either })',
    "permission('shop', { allows: ({ customerId }) => customerId > 1 })",
    "auth('shop', { secret, load: () => ({ id: 1, customerId: 2 }) })",
    "inject(app, { method: 'GET', path: '/', as: { id: 1, customerId: 2 } })",
    "inject(app, { method: 'GET', path: '/', as: { app: 'admin', id: 1, tenantId: 'a' } })",
  ],
}

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  '': [
    'app.use((req) => { const tenant: string | undefined = req.auth?.tenantId; return tenant })',
    "auth('admin', { secret }).forget(7)",
    "auth('admin', { secret, load: () => ({ role: 'editor' }) })",
    "auth('admin', { secret, load: { run: ({ id }, req) => ({ id, path: req.path }), seconds: 60 } })",
    "auth('admin', { secret, load: { run: () => null, key: () => '' } })",
    "auth('admin', { secret, load: { run: () => null, second: 60 } })",
    "auth('admin', { secret, load: { run: () => null, seconds: '60' } })",
    "auth('admin', { secret, load: { run: () => null, seconds: 60, broadcast: { publish: () => 1 } } })",
  ],
  [ONE]: [
    "crud(notes, { ...options, scope: (req) => [['tenantId', '=', req.auth?.tenantId]] })",
    'app.use((req) => { const tenant: number | undefined = req.auth?.tenantId; return tenant })',
    'app.use((req) => { const tenant: string | undefined = req.auth?.tenantid; return tenant })',
    'app.use((req) => { const tenant: string = req.auth.tenantId; return tenant })',
    "crud(notes, { ...options, scope: (req) => [['id', '=', req.auth?.tenantId ?? '']] })",
    "permission('admin', { allows: ({ tenantId }) => tenantId > 5 })",
    "auth('admin', { secret, load: ({ id }) => ({ id }) })",
    "auth('admin', { secret, load: async ({ id }) => ({ id, tenantId: 5 }) })",
    "auth('admin', { secret, load: (claims) => claims })",
    "auth('admin', { ...provider, load: { run: ({ id }) => ({ id }), seconds: 60 } })",
    "auth('admin', { verify: () => ({ id: 1 }) })",
    "auth('admin', [{ secret }, { verify: () => ({ id: 1 }) }])",
    "inject(app, { method: 'GET', path: '/', as: { id: 1 } })",
    "inject(app, { method: 'GET', path: '/', as: { id: 1, tenantId: 5 } })",
    "inject(app, { method: 'GET', path: '/', as: { id: 1, tenantId: 'a', app: 'shop' } })",
  ],
  [TWO]: [
    "app.use((req) => { const id: string | undefined = authOf(req, 'shop')?.customerId; return id })",
    'app.use((req) => { const tenant: string | undefined = req.auth?.tenantId; return tenant })',
    "auth('shop', { secret, load: () => caller })",
    "inject(app, { method: 'GET', path: '/', as: { app: 'shop', id: 1, tenantId: 'a' } })",
  ],
}

describe.each(['', ONE, TWO])('callers declared by `%s`', (declaration) => {
  const [fitting, refused] = [FITTING[declaration] ?? [], REFUSED[declaration] ?? []]
  let faults: readonly string[]
  beforeAll(() => {
    const lines = [...fitting, ...refused].map((line) => `{ ${line} }`)
    faults = faultyLines([SETTING, declaration, ...lines].join('\n'))
  })

  it.each(fitting)('let this compile: %s', (line) => expect(faults).not.toContain(`{ ${line} }`))
  it.each(refused)('refuse this: %s', (line) => expect(faults).toContain(`{ ${line} }`))
  it('cause no other error', () => expect(faults).toHaveLength(refused.length))
})

/** Returns the lines of a program that the compiler refuses. */
function faultyLines(code: string): string[] {
  const file = `${root}spec/declared-callers.ts`
  const settings = ts.readConfigFile(`${root}tsconfig.json`, (name) => readFileSync(name, 'utf8')).config as unknown
  const { options } = ts.parseJsonConfigFileContent(settings, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const getSourceFile = host.getSourceFile.bind(host)
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.ES2023, true)
  source.impliedNodeFormat = ts.ModuleKind.ESNext
  host.getSourceFile = (name, ...rest) => (name === file ? source : getSourceFile(name, ...rest))
  const program = ts.createProgram([file, `${root}lib/core/base/types.ts`], { ...options, incremental: false }, host)
  const lines = code.split('\n')
  const at = (start: number): number => source.getLineAndCharacterOfPosition(start).line
  return [...new Set(program.getSemanticDiagnostics(source).map(({ start = 0 }) => lines[at(start)] ?? ''))]
}
