import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { BUNDLED } from './package/licences.js'
import { describe, expect, it } from 'vitest'

/** The folders of `core` from the lowest to the highest: a file imports from its own folder or from a lower one. */
const CORE: readonly (readonly string[])[] = [
  ['base'],
  ['validate'],
  ['express'],
  ['routing'],
  ['request'],
  ['upload', 'auth'],
  ['reply', 'storage', 'csv', 'request-param'],
  ['paging', 'resource'],
  ['fast'],
  ['serve'],
]

/** The areas, and what each may import: the compiler checks the same with the projects of `lib/tsconfig.json`. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  crud: ['core'],
  adapters: ['core', 'crud/contract'],
  client: ['core'],
  tools: ['core', 'crud/contract', 'adapters', 'client'],
  entries: ['core', 'crud', 'crud/contract', 'adapters', 'client', 'tools'],
}

/** Packages that one file alone imports. */
const SOLE_IMPORTERS: Readonly<Record<string, string>> = {
  'http-errors': 'core/base/errors.ts',
  multer: 'core/upload/receive-form.ts',
  'file-type': 'core/upload/sniff.ts',
  'csv-parse': 'core/csv/packages.ts',
  'csv-stringify/sync': 'core/csv/packages.ts',
}

const root = fileURLToPath(new URL('..', import.meta.url))
const files = filesIn('lib')
const imports = new Map(files.map((file) => [file, importsOf(file)]))

describe('the areas', () => {
  it('contain every file of lib/', () => {
    expect([...new Set(files.map((file) => file.split('/')[0]))].sort()).toEqual(Object.keys(AREAS).sort())
  })

  it('import only what they may', () => {
    const wrong = files.flatMap((file) =>
      ownImports(file).filter((target) => areaOf(target) !== areaOf(file) && !isAllowed(file, target)).map((target) =>
        `${file} -> ${target}`
      )
    )
    expect(wrong).toEqual([])
  })

  it('import `core` by its face, except what browsers need and what loads optional packages', () => {
    const others = files.filter((file) => !/^(?:core|entries)\//.test(file)).flatMap(ownImports)
    const past = others.filter((target) => /^core\/(?!csv\/|index\.ts$)/.test(target))
    expect([...new Set(past)]).toEqual(['core/resource/mounted.ts', 'core/base/reason.ts'])
  })

  it('are described in CONTRIBUTING.md, with every folder', () => {
    const diagram = read('CONTRIBUTING.md').split('```', 2)[1] ?? ''
    const drawn = [...diagram.matchAll(/([\w-]+)\//g)].map(([, name]) => name)
    const folders = files.flatMap((file) => file.split('/').slice(0, 2).filter((name) => !name.endsWith('.ts')))
    expect([...new Set(drawn)].sort()).toEqual([...new Set(folders)].sort())
  })
})

describe('the folders of core', () => {
  it('are ordered', () => {
    const folders = new Set(files.filter((file) => /^core\/.+\//.test(file)).map(folderOf))
    expect([...folders].sort()).toEqual(CORE.flat().sort())
  })

  it('import from lower folders only', () => {
    const upwards = files.filter((file) => /^core\/.+\//.test(file)).flatMap((file) =>
      ownImports(file).filter((target) =>
        heightOf(target) > heightOf(file)
        || (heightOf(target) === heightOf(file) && folderOf(target) !== folderOf(file))
      ).map((target) => `${file} -> ${target}`)
    )
    expect(upwards).toEqual([])
  })
})

describe('the imports', () => {
  it('have no import cycles', () => {
    expect(cycles()).toEqual([])
  })

  it('load the fast path in serve/ only', () => {
    const isFast = (file: string): boolean => file.startsWith('core/fast/')
    const importers = files.filter((file) => !isFast(file) && ownImports(file).some(isFast))
    expect(importers).toSatisfy((names: string[]) => names.every((file) => file.startsWith('core/serve/')))
  })

  it.each(Object.entries(SOLE_IMPORTERS))('import %s in %s only', (name, importer) => {
    expect(files.filter((file) => imports.get(file)?.includes(name))).toEqual([importer])
  })

  it('import only packages that package.json declares or that are bundled', () => {
    const { dependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >
    const declared = [...Object.keys({ ...dependencies, ...peerDependencies }), ...BUNDLED]
    const specifiers = [...imports.values()].flat().filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    const used = new Set(specifiers.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))
    expect([...used].filter((name) => !declared.includes(name))).toEqual([])
  })
})

describe('undocumented names', () => {
  it('of Express are declared in express/ only', () => {
    const shapes =
      /\breadonly (?:stack|handle|dispatch|handleRequest|handleError|mergeParams|caseSensitive|rawPath|slash)\??:|lazyrouter|mounted_app/
    expect(filesWith(shapes).filter((file) => !file.startsWith('core/express/'))).toEqual([])
  })

  it('of Node.js are used in base/node-http.ts only', () => {
    expect(filesWith(/\b_(?:httpMessage|send|read|header|events)\b|kOutHeaders/)).toEqual(['core/base/node-http.ts'])
  })

  it('of zod are used in validate/zod-schemas.ts only, except `_zod.def` and the types of input and output', () => {
    const others = /_zod(?!\.def\b|: \{ def\b|'\]\['def'\]|: \{ readonly (?:input|output): \w+ \})/
    expect(filesWith(others)).toEqual(['core/validate/zod-schemas.ts'])
  })

  it('do not import values of node:http, which makes Node.js load its web client', () => {
    expect(filesWith(/^(?:import (?!type )|export ).* from 'node:http'$/m)).toEqual([])
  })
})

describe('the files', () => {
  it('have at most 250 lines of code', () => {
    const isCode = (line: string): boolean => !/^\s*(?:$|\/\/|\/?\*)/.test(line)
    // Dictionaries are data, one line for each message or plural form.
    const programs = files.filter((file) => !file.startsWith(join('entries', 'messages')))
    expect(programs.filter((file) => read(join('lib', file)).split('\n').filter(isCode).length > 250)).toEqual([])
  })

  it('have lines of at most 120 columns', () => {
    expect(filesWith(/^.{121}/m)).toEqual([])
  })

  it('have no generic names such as `utils` or `helpers`', () => {
    const named = [...files, ...filesIn('spec'), ...filesIn('samples')]
    expect(named.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.)/i.test(file))).toEqual([])
  })

  it('use no `any`', () => {
    // Comments may contain the English word.
    expect(filesWith(/^(?!\s*(?:\*|\/)).*(?::\s*any\b|\bas any\b|<any>)/m)).toEqual([])
  })

  it('have no top-level await', () => {
    const waits = (node: ts.Node): boolean =>
      ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)
      || (!ts.isFunctionLike(node) && (ts.forEachChild(node, (child) => waits(child) || undefined) ?? false))
    expect(files.filter((file) => waits(ts.createSourceFile(file, read(join('lib', file)), ts.ScriptTarget.Latest))))
      .toEqual([])
  })

  it('have no constructor call whose value is unused, since a bundler may drop it', () => {
    expect(files.filter((file) => hasUnusedConstruction(read(join('lib', file))))).toEqual([])
  })

  it('include a short public entry without `export *`', () => {
    expect(lineCount('lib/entries/index.ts')).toBeLessThan(70)
    expect(read('lib/entries/index.ts')).not.toMatch(/export\s+\*/)
  })
})

describe('the specs', () => {
  it('neither skip nor select tests', () => {
    const specs = filesIn('spec').filter((file) => file.endsWith('.spec.ts'))
    expect(specs.filter((file) => /\b(?:it|test|describe)\.(?:skip|only|todo)\b/.test(read(join('spec', file)))))
      .toEqual([])
  })
})

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const files = entries.flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name]
    // Those of libraries have many thousand files.
    if (entry.name === 'node_modules') return []
    return filesIn(join(folder, entry.name)).map((file) => join(entry.name, file))
  })
  return files.filter((file) => file.endsWith('.ts')).sort()
}

/** Returns the files of lib/ whose text matches a pattern. */
function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(read(join('lib', file))))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function lineCount(file: string): number {
  return read(file).trimEnd().split('\n').length
}

/** Returns the imports of a file, types included: packages by name, files of lib/ by path. */
function importsOf(file: string): string[] {
  return ts.preProcessFile(read(join('lib', file))).importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? `./${normalize(join(dirname(file), fileName)).replace(/\.js$/, '.ts')}` : fileName
  )
}

function ownImports(file: string): string[] {
  return (imports.get(file) ?? []).filter((target) => target.startsWith('./')).map((target) => target.slice(2))
}

function hasUnusedConstruction(text: string): boolean {
  const isUnused = (node: ts.Node): boolean =>
    (ts.isExpressionStatement(node) && ts.isNewExpression(node.expression))
    || (ts.isVoidExpression(node) && ts.isNewExpression(node.expression))
    || (ts.forEachChild(node, isUnused) ?? false)
  return isUnused(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest))
}

function areaOf(file: string): string {
  return file.startsWith('crud/contract/') ? 'crud/contract' : file.split('/')[0] ?? file
}

function isAllowed(file: string, target: string): boolean {
  if (file.startsWith('crud/contract/')) return areaOf(target) === 'core'
  const isOwn = file.startsWith('crud/') && areaOf(target) === 'crud/contract'
  return isOwn || (AREAS[areaOf(file)] ?? []).includes(areaOf(target))
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? file
}

function heightOf(file: string): number {
  return CORE.findIndex((folders) => folders.includes(folderOf(file)))
}

function cycles(): string[] {
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) found.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
    if (trail.includes(file) || finished.has(file)) return
    for (const target of ownImports(file)) visit(target, [...trail, file])
    finished.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}
