import { useParts, type Parts } from '../seam.js'
import { fitting } from './compiled-reply/compile.js'
import { fastEntry } from './entry.js'
import { preparedClasses } from './prepared-classes.js'
import { indexAt, openRoutes } from './route-group.js'
import { writeAtOnce } from './write-at-once.js'

const FAST: Parts = {
  openRoutes,
  indexAt,
  entry: fastEntry,
  serverClasses: preparedClasses,
  writeReply: writeAtOnce,
  fitting,
}

const isOff = process.env.RESOURCERY_FAST === 'off'

/**
 * Hands a function the fast path, unless the environment says `RESOURCERY_FAST=off`.
 *
 * It is called for what the package exports, not when this module is imported: a bundler may leave out an import that nobody uses.
 */
export function withFastPath<F>(plain: F): F {
  if (!isOff) useParts(FAST)
  return plain
}
