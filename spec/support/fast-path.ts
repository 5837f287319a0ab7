import { withFastPath } from '../../lib/core/fast/fast.js'

/**
 * Specs import modules of their own choice; like the public entry, this gives them the fast path, unless
 * `RESOURCERY_FAST=off`.
 */
withFastPath(undefined)
