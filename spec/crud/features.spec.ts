import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../lib/crud/', import.meta.url))
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).sort()

/** The files that may name features: the list of them, and the types of their options and actions. */
const COMPOSITION = ['feature-options.ts', 'features.ts']

/** Returns what a file imports, types included, as paths in `lib/crud`. */
function importsOf(file: string): string[] {
  const specifiers = ts.preProcessFile(readFileSync(join(root, file), 'utf8')).importedFiles.map(({ fileName }) =>
    fileName
  )
  return specifiers.filter((name) => name.startsWith('.')).map((name) => normalize(join(file, '..', name)))
}

/** Returns the feature that a file belongs to, `undefined` for a file of the core. */
function featureOf(file: string): string | undefined {
  return /^features\/([^/]+)\//.exec(file)?.[1]
}

describe('the files of crud', () => {
  it('import features only in the list of features', () => {
    const importers = files.filter((file) =>
      featureOf(file) === undefined && importsOf(file).some((target) => featureOf(target) !== undefined)
    )
    expect(importers).toEqual(COMPOSITION)
  })

  it('import no other feature in a feature', () => {
    const pairs = files.flatMap((file) =>
      importsOf(file).map((target) => [featureOf(file), featureOf(target)] as const)
    )
    expect(pairs.filter(([own, other]) => own !== undefined && other !== undefined && own !== other)).toEqual([])
  })

  it('import the core by its face', () => {
    const past = files.filter((file) => !file.startsWith('core/')).flatMap((file) =>
      importsOf(file).filter((target) => /^core\/(?!index\.js$)/.test(target)).map((target) => `${file} -> ${target}`)
    )
    expect(past).toEqual([])
  })

  it('import neither the list of features nor their types in a feature', () => {
    const importers = files.filter((file) =>
      featureOf(file) !== undefined
      && importsOf(file).some((target) => COMPOSITION.includes(target.replace(/\.js$/, '.ts')))
    )
    expect(importers).toEqual([])
  })
})
