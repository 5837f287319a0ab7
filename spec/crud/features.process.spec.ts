import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../support/nightly.js'

const lib = fileURLToPath(new URL('../../lib/', import.meta.url))
const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((
  file,
) => join(lib, file))
const features = readdirSync(join(lib, 'crud/features'))

/** The limit of one compilation on a machine under load, in milliseconds. */
const COMPILING = 180_000

/** The files that name features; `features.spec.ts` checks that there are no others. */
const COMPOSITION = ['entries/crud.ts', 'crud/features.ts', 'crud/feature-options.ts', 'entries/dux.ts'].map((file) =>
  join(lib, file)
)

interface Remainder {
  readonly text: string
  /** The imports, exports and other lines that were removed. */
  readonly removed: number
}

/**
 * Returns a file without the imports and exports of some features' folders, and without the lines that use what was
 * imported.
 */
function without(removed: readonly string[], file: string): Remainder {
  const text = readFileSync(file, 'utf8')
  const statements = [
    ...text.matchAll(
      new RegExp(`^(?:import|export)(?: type)? \\{([^}]*)\\} from '[^']*features/(?:${removed.join('|')})/[^']*'\n`,
        'gm'),
    ),
  ]
  const names = statements.filter(([statement]) => statement.startsWith('import')).flatMap(([, list = '']) =>
    list.match(/\w+/g) ?? []
  )
  const lines = statements.reduce((rest, [statement]) => rest.replace(statement, ''), text).split('\n')
  const kept = lines.filter((line) => !names.some((name) => new RegExp(`^[^/*]*\\b${name}\\b`).test(line)))
  return { text: kept.join('\n'), removed: statements.length + lines.length - kept.length }
}

/** Caches the files that do not depend on features, each parsed once. */
const parsed = new Map<string, ts.SourceFile>()

function parse(file: string, text: string, target: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile {
  const known = COMPOSITION.includes(file) ? undefined : parsed.get(file)
  const source = known ?? ts.createSourceFile(file, text, target)
  parsed.set(file, source)
  return source
}

/** Returns the errors of compiling `lib` without the folders of some features and their lines in the lists. */
function errorsWithout(removed: readonly string[]): string[] {
  const remainders = new Map(COMPOSITION.map((file) => [file, without(removed, file).text]))
  const config: unknown = ts.readConfigFile(join(lib, 'tsconfig.area.json'), (file) => ts.sys.readFile(file)).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, lib)
  const host = ts.createCompilerHost(options)
  const disk = { ...host }
  const folders = removed.map((feature) => join(lib, 'crud/features', feature, '/'))
  const isGone = (file: string): boolean => folders.some((folder) => file.startsWith(folder))
  host.fileExists = (file) => !isGone(file) && disk.fileExists(file)
  host.readFile = (file) => remainders.get(file) ?? disk.readFile(file)
  host.getSourceFile = (file, target) => {
    const text = isGone(file) ? undefined : host.readFile(file)
    return text === undefined ? undefined : parse(file, text, target)
  }
  const program = ts.createProgram(files.filter((file) => !isGone(file)), { ...options, noEmit: true }, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('crud without some of its features', () => {
  it.each(features)('has few lines of `%s` to remove from its lists', (feature) => {
    const counts = COMPOSITION.map((file) => without([feature], file).removed)
    expect(counts[1]).toBe(2)
    expect(Math.max(...counts)).toBeLessThanOrEqual(5)
  })

  // One compilation for each feature takes minutes: by halves, each file compiles without the features it does not need.
  const cases = isNightly ? features.map((feature) => [feature]) : halves(features)
  it.each(cases.map((removed) => ({ names: removed.join(', '), removed })))(
    'compiles without the folders and lines of $names',
    ({ removed }) => {
      expect(errorsWithout(removed)).toEqual([])
    },
    COMPILING,
  )
})

/** Returns every other value, and the rest. */
function halves(all: readonly string[]): readonly (readonly string[])[] {
  return [0, 1].map((parity) => all.filter((_one, index) => index % 2 === parity))
}
