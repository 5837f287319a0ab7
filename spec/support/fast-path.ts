import { enableFastPath, IS_FAST } from '../../lib/core/fast/fast.js'

/** Specs that start servers of their own get the fast path as from `serve`, unless `RESOURCERY_FAST=off`. */
if (IS_FAST) enableFastPath()
