import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

/** The house from the ground up: a file imports from its own floor or from one below. */
const FLOORS: readonly (readonly string[])[] = [
  ['types', 'errors', 'messages', 'thenable', 'brand', 'within', 'node-http', 'options'],
  ['send', 'reply', 'format-data', 'paginate', 'paging', 'param', 'request-param', 'body', 'validate', 'express', 'routing', 'seam', 'store'],
  ['auth', 'permission', 'mediation', 'failure', 'error-handler', 'not-found', 'upload', 'storage', 'csv'],
  ['resource'],
  ['sources', 'openapi', 'crud', 'stores', 'client'],
  ['serve', 'fast', 'in-process', 'testing', 'cli', 'index'],
]

/** Packages with one importer each: whoever needs what they do asks that file. */
const SOLE_IMPORTERS: Readonly<Record<string, string>> = {
  'http-errors': 'errors.ts', multer: 'upload/read-form.ts', 'file-type': 'upload/sniff.ts',
  'csv-parse': 'csv/read-csv.ts', 'csv-stringify/sync': 'csv/to-csv.ts',
}

/** Files that no spec is named after. */
const SPECLESS: Readonly<Record<string, string>> = {
  'types.ts': 'has no code',
  'seam.ts': 'is what the specs of both paths go through; spec/fast/routing.property.spec.ts compares them',
  'store.ts': 'has no code; lib/testing says what it promises',
  'node-http.ts': 'has no code; the floors say who imports node:http',
  'index.ts': 'is what exports.spec.ts looks at',
  'in-process.ts': 'is what spec/testing/inject.spec.ts goes through',
}

const root = fileURLToPath(new URL('..', import.meta.url))
const files = filesIn('lib')
const imports = new Map(files.map((file) => [file, importsOf(file)]))

describe('floors', () => {
  it('know every room', () => {
    const rooms = new Set(files.map(roomOf))
    expect([...rooms].sort()).toEqual(FLOORS.flat().sort())
  })

  it('are drawn in CONTRIBUTING.md as they are', () => {
    const drawing = read('CONTRIBUTING.md').split('```', 2)[1] ?? ''
    const drawn = drawing.split(/^ \d {2}/m).slice(1).map((floor) => [...floor.matchAll(/([\w-]+)(?:\.ts|\/)/g)].map(([, room]) => room))
    expect(drawn.map((rooms) => [...new Set(rooms)].sort())).toEqual(FLOORS.map((rooms) => [...rooms].sort()).reverse())
  })

  it('are left downwards only', () => {
    const upwards = files.flatMap((file) =>
      inHouse(file).filter((target) => floorOf(target) > floorOf(file)).map((target) => `${file} -> ${target}`))
    expect(upwards).toEqual([])
  })

  it('have no circles', () => {
    expect(circles()).toEqual([])
  })

  it('hand the fast path over in index.ts alone: the plain path does not know it', () => {
    const importers = files.filter((file) => roomOf(file) !== 'fast' && inHouse(file).some((target) => roomOf(target) === 'fast'))
    expect(importers).toEqual(['index.ts'])
  })

  it.each(Object.entries(SOLE_IMPORTERS))('meet %s in %s alone', (name, importer) => {
    expect(files.filter((file) => imports.get(file)?.includes(name))).toEqual([importer])
  })

  it('take what they use of node:http from node-http.ts, since an import of it makes Node.js load its client of the web', () => {
    const value = /^(?:import (?!type )|export ).* from 'node:http'$/m
    expect(files.filter((file) => value.test(read(join('lib', file))))).toEqual([])
  })

  it('need no package that is not declared', () => {
    const { dependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
    const declared = Object.keys({ ...dependencies, ...peerDependencies })
    const specifiers = [...imports.values()].flat().filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    const used = new Set(specifiers.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))
    expect([...used].filter((name) => !declared.includes(name))).toEqual([])
  })
})

describe('files', () => {
  const lengths = files.map((file) => lineCount(join('lib', file))).sort((a, b) => a - b)

  it('are short: half of them at most 80 lines, none over 250', () => {
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(80)
    expect(lengths.at(-1)).toBeLessThanOrEqual(250)
  })

  it('are named after what they do', () => {
    const drawers = [...files, ...filesIn('spec'), ...filesIn('samples')]
    expect(drawers.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.)/i.test(file))).toEqual([])
  })

  it('use no `any`', () => {
    // Lines of comments may say "any" as an English word.
    const loose = /^(?!\s*(?:\*|\/)).*(?::\s*any\b|\bas any\b|<any>)/m
    expect(files.filter((file) => loose.test(read(join('lib', file))))).toEqual([])
  })

  it('load at once, without an await at their top level', () => {
    const waits = (node: ts.Node): boolean =>
      ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined) || (!ts.isFunctionLike(node) && (ts.forEachChild(node, (child) => waits(child) || undefined) ?? false))
    expect(files.filter((file) => waits(ts.createSourceFile(file, read(join('lib', file)), ts.ScriptTarget.Latest)))).toEqual([])
  })

  it('of the main door are one short list of names', () => {
    const door = read('lib/index.ts')
    expect(lineCount('lib/index.ts')).toBeLessThan(60)
    expect(door).not.toMatch(/export\s+\*/)
  })
})

describe('specs', () => {
  const specs = filesIn('spec').filter((file) => file.endsWith('.spec.ts'))

  it('stand beside each file of the house, by its own name or by that of its folder', () => {
    const bare = files.filter((file) => !(file in SPECLESS) && !hasSpec(file))
    expect(bare).toEqual([])
  })

  it('are all run', () => {
    const held = specs.filter((file) => /\b(?:it|test|describe)\.(?:skip|only|todo)\b/.test(read(join('spec', file))))
    expect(held).toEqual([])
  })

  function hasSpec(file: string): boolean {
    const name = file.replace(/\.ts$/, '')
    const folder = dirname(name)
    return specs.some((spec) => spec === `${name}.spec.ts` || spec === `${folder}.spec.ts` || (folder !== '.' && dirname(spec) === folder))
  }
})

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return all.filter((file) => file.endsWith('.ts') && !file.includes('node_modules')).sort()
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function lineCount(file: string): number {
  return read(file).trimEnd().split('\n').length
}

/** What a file imports, types too: a package by its name, a file of the house by its path in it. */
function importsOf(file: string): string[] {
  return ts.preProcessFile(read(join('lib', file))).importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? `./${normalize(join(dirname(file), fileName)).replace(/\.js$/, '.ts')}` : fileName)
}

function inHouse(file: string): string[] {
  return (imports.get(file) ?? []).filter((target) => target.startsWith('./')).map((target) => target.slice(2))
}

function roomOf(file: string): string {
  return (file.split('/')[0] ?? file).replace(/\.ts$/, '')
}

function floorOf(file: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)))
}

function circles(): string[] {
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) found.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
    if (trail.includes(file) || finished.has(file)) return
    for (const target of inHouse(file)) visit(target, [...trail, file])
    finished.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}
