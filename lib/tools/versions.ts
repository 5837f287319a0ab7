import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { propertyOf } from '../core/index.js'

/** The lowest and the highest versions that the suites of this release run with. */
export const TESTED: Readonly<Record<string, readonly [lowest: string, highest: string]>> = {
  node: ['20.19', '26.10'],
  express: ['5.1', '5.3'],
  router: ['2.2', '2.3'],
  zod: ['4.1', '4.6'],
  kysely: ['0.27', '0.29'],
  'drizzle-orm': ['0.45', '0.45'],
  knex: ['3.3', '3.3'],
  '@prisma/client': ['7.10', '7.10'],
  typeorm: ['1.1', '1.1'],
  sequelize: ['6.37', '6.37'],
  mongoose: ['9.12', '9.12'],
}

/** A version that is higher than the tested ones, or lower. */
export interface Untested {
  readonly name: string
  readonly version: string
  readonly tested: readonly [lowest: string, highest: string]
}

/** Returns the installed packages, and Node.js itself, whose versions no suite has run with. */
export function untestedIn(folder: string, node = process.versions.node): Untested[] {
  const express = packageFolder(folder, 'express')
  return Object.entries(TESTED).flatMap(([name, tested]) => {
    const version = name === 'node' ? node : versionOf(name === 'router' ? express : folder, name)
    if (version === undefined || isBetween(version, tested)) return []
    return [{ name, version, tested }]
  })
}

/** Finds a package as Node.js does: in `node_modules` of a folder, or of one above it. */
function packageFolder(folder: string, name: string): string | undefined {
  for (let directory = folder;; directory = dirname(directory)) {
    const installed = join(directory, 'node_modules', name)
    if (existsSync(join(installed, 'package.json'))) return installed
    if (dirname(directory) === directory) return undefined
  }
}

function versionOf(folder: string | undefined, name: string): string | undefined {
  const installed = folder === undefined ? undefined : packageFolder(folder, name)
  if (installed === undefined) return undefined
  const version = propertyOf(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')), 'version')
  return typeof version === 'string' ? version : undefined
}

/** Compares by major and minor version: a patch changes nothing that is tested. */
function isBetween(version: string, [lowest, highest]: readonly [string, string]): boolean {
  return compare(version, lowest) >= 0 && compare(version, highest) <= 0
}

function compare(one: string, other: string): number {
  const [major = 0, minor = 0] = numbersOf(one)
  const [otherMajor = 0, otherMinor = 0] = numbersOf(other)
  return major - otherMajor || minor - otherMinor
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number)
}
