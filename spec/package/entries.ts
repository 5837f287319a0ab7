import { readFileSync } from 'node:fs'

/*
 * The entries of the package, read from package.json: `entries/crud` is built from lib/entries/crud.ts to
 * dist/entries/crud.*.
 */

interface Package {
  readonly exports: Readonly<Record<string, unknown>>
}

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Package

/** The subpaths of the package, `.` for the main one. */
export const subpaths: readonly string[] = Object.keys(exports).filter((subpath) => subpath !== './package.json')

/** The names of the entries without state, for programs that run in a browser. */
export const browserEntries: readonly string[] = ['entries/client', 'entries/react-admin', 'entries/refine']

/** The names of the other entries, which share one implementation. */
export const serverEntries: readonly string[] = subpaths.map(entryOf).filter((name) => !browserEntries.includes(name))

function entryOf(subpath: string): string {
  return subpath === '.' ? 'entries/index' : `entries/${subpath.slice(2)}`
}
