import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

/* What an editor shows: the signature and the docs of a hover, and the messages of type errors. */

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}spec/in-the-editor.ts`

const SETTING = `
import express from 'express'
import { z } from 'zod'
import { auth, mountResource, mountRoutes, validate } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
const app = express()
const Note = z.object({ id: z.int(), title: z.string() })
const input = Note.pick({ title: true })
const Other = z.object({ id: z.int(), titel: z.string() })
const Wrong = z.object({ title: z.int() })
const notes = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
`

const HOVERS = [
  ['mountResource', 'export { mountResource }'],
  ['crud', 'export { crud }'],
  ['auth', 'export { auth }'],
  ['mountRoutes', 'export { mountRoutes }'],
  ['mountResource', "mountResource(app, { route: '/a', name: 'a', ...crud(notes, { input, output: Note }) })"],
  ['crud', "mountResource(app, { route: '/b', name: 'b', ...crud(notes, { input, output: Note }) })"],
  ['auth', "app.use(auth('desk', { secret: 'x'.repeat(32) }))"],
  ['validate', "validate({}, { name: [['required', 'Name is required']] })"],
] as const

const show = (handler: string): string =>
  `mountResource(app, { route: '/a', name: 'a', handlers: { show: { output: Note, handler: () => (${handler}) } } })`

const ERRORS = [
  ['a wrong value', show("{ id: 'a', title: '' }"), /^Type 'string' is not assignable to type 'number'\.$/],
  ['a missing value', show('{ id: 1 }'), /^Property 'title' is missing in type '{ id: number; }' but required in type/],
  ['a misspelt rule', "validate({}, { name: [['requird', 'x']] })", /Did you mean '"required"'\?$/],
  ['a rule without a message', "validate({}, { name: [['required']] })", /^Source has 1 .* but target requires 2\.$/],
  [
    'contradictory rules',
    "validate({}, { name: [['required', 'x'], ['optional']] })",
    /type '"A field is either required or optional"'\.$/,
  ],
  [
    'an input that is no column',
    'crud(notes, { input: Other, output: Note })',
    /The row has no column \\"titel\\": rename the field of `input`, or give `before`"'\.$/,
  ],
  [
    'an output that is no column',
    'crud(notes, { input, output: Other })',
    /The row has no column \\"titel\\": rename the field of `output`, or give `transform`"'\.$/,
  ],
  [
    'an input of another type',
    'crud(notes, { input: Wrong, output: Note })',
    /The column \\"title\\" and the field of `input` have different types: change one of them, or give `before`"'\.$/,
  ],
  [
    'an output of another type',
    'crud(notes, { input, output: Wrong })',
    /The column \\"title\\" and the field of `output` have different types: .* or give `transform`"'\.$/,
  ],
  [
    'a search in no column',
    "crud(notes, { input, output: Note, search: ['titel'] })",
    /^Type '"titel"' is not assignable to type '"title"'\.$/,
  ],
] as const

const FITTING = [
  'crud(notes, { input: Other, output: Note, before: { create: ({ titel }) => ({ title: titel }) } })',
  'crud(notes, { input, output: Other, transform: ({ id, title }) => ({ id, titel: title }) })',
  'crud(notes, { input, output: Other, transformMany: (rows) => rows.map(({ id, title }) => ({ id, titel: title })) })',
  'crud(notes, { input, output: Note.extend({ more: z.string().optional() }) })',
  'crud(notes, { input: z.object({}), output: Note })',
]

const lines = [...HOVERS, ...ERRORS].map(([, line]) => line).concat(FITTING)
const code = SETTING + lines.join('\n')
const service = languageService()
/** The messages by the line of their error. */
let messages: ReadonlyMap<string, string>

beforeAll(() => {
  messages = new Map(service.getSemanticDiagnostics(file).map(({ messageText, start = 0 }) => [
    code.slice(code.lastIndexOf('\n', start) + 1).split('\n', 1)[0] ?? '',
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  ]))
})

function languageService(): ts.LanguageService {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
  const { options } = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.json`, {}, host) ?? { options: {} }
  return ts.createLanguageService({
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(name === file ? code : readFileSync(name, 'utf8')),
    getCurrentDirectory: () => root,
    getCompilationSettings: () => ({ ...options, noEmit: true }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  })
}

describe('a hover', () => {
  it.each(HOVERS)('on %s of `%s` has at most fifteen lines of signature, and docs', (name, line) => {
    const info = service.getQuickInfoAtPosition(file, code.indexOf(line) + line.indexOf(name))
    const [signature = ''] = ts.displayPartsToString(info?.displayParts).split('\nimport ')
    expect(signature.split('\n').flatMap((each) => each.match(/.{1,120}/g) ?? ['']).length).toBeLessThanOrEqual(15)
    expect(ts.displayPartsToString(info?.documentation)).not.toBe('')
  })
})

describe('a type error', () => {
  it.each(ERRORS)('about %s ends with a sentence', (_title, line, sentence) => {
    expect(messages.get(line)?.split('\n').at(-1)?.trim()).toMatch(sentence)
  })

  it.each(FITTING)('is absent for %s', (line) => {
    expect(messages.get(line)).toBeUndefined()
  })
})
