import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const lib = fileURLToPath(new URL('../../lib/', import.meta.url))
const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => join(lib, file))
const features = readdirSync(join(lib, 'crud/features'))

/** The limit of one compilation on a machine under load, in milliseconds. */
const COMPILING = 180_000

/** The files that name features; `features.spec.ts` checks that there are no others. */
const COMPOSITION = ['crud.ts', 'crud/features.ts', 'crud/feature-options.ts'].map((file) => join(lib, file))

/** Returns the lines of a file that name a feature's folder or its exports. */
function linesOf(file: string, feature: string): Set<string> {
  const all = readFileSync(file, 'utf8').split('\n')
  const imports = all.filter((line) => line.includes(`features/${feature}/`))
  const names = imports.filter((line) => line.startsWith('import')).flatMap((line) => /\{(.*)\}/.exec(line)?.[1]?.match(/\w+/g) ?? [])
  return new Set(all.filter((line) => imports.includes(line) || names.some((name) => new RegExp(`^[^/*]*\\b${name}\\b`).test(line))))
}

/** Caches the files that do not depend on features, each parsed once. */
const parsed = new Map<string, ts.SourceFile>()

function parse(file: string, text: string, target: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile {
  const known = COMPOSITION.includes(file) ? undefined : parsed.get(file)
  const source = known ?? ts.createSourceFile(file, text, target)
  parsed.set(file, source)
  return source
}

/** Returns the errors of compiling `lib` without a feature's folder and without these lines. */
function errorsWithout(feature: string, removed: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const config: unknown = ts.readConfigFile(join(lib, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, lib)
  const host = ts.createCompilerHost(options)
  const disk = { ...host }
  const isGone = (file: string): boolean => file.startsWith(join(lib, 'crud/features', feature, '/'))
  host.fileExists = (file) => !isGone(file) && disk.fileExists(file)
  host.readFile = (file) => disk.readFile(file)?.split('\n').filter((line) => removed.get(file)?.has(line) !== true).join('\n')
  host.getSourceFile = (file, target) => {
    const text = isGone(file) ? undefined : host.readFile(file)
    return text === undefined ? undefined : parse(file, text, target)
  }
  const program = ts.createProgram(files.filter((file) => !isGone(file)), { ...options, noEmit: true }, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('crud without one of its features', () => {
  it.each(features)('compiles without the folder of `%s` and its lines in the lists', (feature) => {
    const removed = new Map(COMPOSITION.map((file) => [file, linesOf(file, feature)]))
    const counts = COMPOSITION.map((file) => removed.get(file)?.size ?? 0)
    expect(counts[1]).toBe(2)
    expect(Math.max(...counts)).toBeLessThanOrEqual(5)
    expect(errorsWithout(feature, removed)).toEqual([])
  }, COMPILING)
})
