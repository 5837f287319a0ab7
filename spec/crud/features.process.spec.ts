import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const lib = fileURLToPath(new URL('../../lib/', import.meta.url))
const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((
  file,
) => join(lib, file))
const features = readdirSync(join(lib, 'crud/features'))

/** The limit of one compilation on a machine under load, in milliseconds. */
const COMPILING = 180_000

/** The files that name features; `features.spec.ts` checks that there are no others. */
const COMPOSITION = ['crud.ts', 'crud/features.ts', 'crud/feature-options.ts'].map((file) => join(lib, file))

interface Remainder {
  readonly text: string
  /** The imports, exports and other lines that were removed. */
  readonly removed: number
}

/**
 * Returns a file without the imports and exports of a feature's folder, and without the lines that use what was
 * imported.
 */
function without(feature: string, file: string): Remainder {
  const text = readFileSync(file, 'utf8')
  const statements = [
    ...text.matchAll(
      new RegExp(`^(?:import|export)(?: type)? \\{([^}]*)\\} from '[^']*features/${feature}/[^']*'\n`, 'gm'),
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

/** Returns the errors of compiling `lib` without a feature's folder and with what remains of these files. */
function errorsWithout(feature: string, remainders: ReadonlyMap<string, Remainder>): string[] {
  const config: unknown = ts.readConfigFile(join(lib, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, lib)
  const host = ts.createCompilerHost(options)
  const disk = { ...host }
  const isGone = (file: string): boolean => file.startsWith(join(lib, 'crud/features', feature, '/'))
  host.fileExists = (file) => !isGone(file) && disk.fileExists(file)
  host.readFile = (file) => remainders.get(file)?.text ?? disk.readFile(file)
  host.getSourceFile = (file, target) => {
    const text = isGone(file) ? undefined : host.readFile(file)
    return text === undefined ? undefined : parse(file, text, target)
  }
  const program = ts.createProgram(files.filter((file) => !isGone(file)), { ...options, noEmit: true }, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('crud without one of its features', () => {
  it.each(features)('compiles without the folder of `%s` and its lines in the lists', (feature) => {
    const remainders = new Map(COMPOSITION.map((file) => [file, without(feature, file)]))
    const counts = COMPOSITION.map((file) => remainders.get(file)?.removed ?? 0)
    expect(counts[1]).toBe(2)
    expect(Math.max(...counts)).toBeLessThanOrEqual(5)
    expect(errorsWithout(feature, remainders)).toEqual([])
  }, COMPILING)
})
