import { useImplementation, type Implementation } from '../express/implementation.js'
import { checkedCopy } from './compile-output.js'
import { jsonOf } from './compile-text.js'
import { fastEntry } from './entry.js'
import { obstacles } from './obstacles.js'
import { plainJson } from './plain-json.js'
import { preparedClasses } from './prepared-classes.js'
import { indexAt, openRoutes } from './route-group.js'
import { routeBehind } from './walk.js'
import { writeAtOnce } from './write-at-once.js'

const FAST: Implementation = {
  openRoutes,
  indexAt,
  routeBehind,
  obstacles,
  entry: fastEntry,
  serverClasses: preparedClasses,
  writeReply: writeAtOnce,
  checkedCopy,
  jsonOf,
  plainJson,
}

const isOff = process.env.RESOURCERY_FAST === 'off'

/**
 * Selects the fast path and returns the function unchanged, unless the environment has `RESOURCERY_FAST=off`.
 *
 * The package calls it for its exports and not when this module is imported, since a bundler may remove an import that
 * is not used.
 */
export function withFastPath<F>(plain: F): F {
  if (!isOff) useImplementation(FAST)
  return plain
}
