import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { ERRORS, FITTING, SETTING } from './support/type-errors.js'

/* What an editor shows: the signature and the docs of a hover, and the messages of type errors. */

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}spec/in-the-editor.ts`

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

/** A client, and the parts of its lines whose hovers show a row. */
const CLIENT = `
import { createClient as connect } from 'resourcery/client'
const mounted = mountResource(app, { route: '/c', name: 'c', ...crud(notes, { input, output: Note }) })
const client = connect<{ c: typeof mounted }>({ url: '', routes: [] })
const shown = await client.c.show({ id: 1 })
for await (const every of client.c.all()) void every
`
const ROWS = ['show({ id: 1 })', 'shown =', 'every of']

const lines = [...HOVERS, ...ERRORS].map(([, line]) => line).concat(FITTING, CLIENT)
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

describe('a hover in a client', () => {
  it.each(ROWS)('shows the fields of the row on `%s`', (text) => {
    const info = service.getQuickInfoAtPosition(file, code.indexOf(CLIENT) + CLIENT.indexOf(text))
    expect(ts.displayPartsToString(info?.displayParts)).toMatch(/\{\s*id: number;\s*\w+: /)
  })

  it('says what an action does', () => {
    const info = service.getQuickInfoAtPosition(file, code.indexOf(CLIENT) + CLIENT.indexOf('show({ id: 1 })'))
    expect(ts.displayPartsToString(info?.documentation)).toBe('Returns one record: `GET /:id`.')
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
