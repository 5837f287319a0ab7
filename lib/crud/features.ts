import type { Feature } from './core/index.js'
import { aggregates } from './features/aggregates/aggregates.js'
import { bulk } from './features/bulk/bulk.js'
import { children } from './features/children/children.js'
import { dialect } from './features/dialect/dialect.js'
import { csvExport } from './features/export/export.js'
import { idempotency } from './features/idempotency/idempotency.js'
import { ifMatch } from './features/if-match/if-match.js'
import { csvImport } from './features/import/import.js'
import { include } from './features/include/include.js'
import { members } from './features/members/members.js'
import { parent } from './features/parent/parent.js'
import { references } from './features/references/references.js'
import { softDelete } from './features/soft-delete/soft-delete.js'
import { tree } from './features/tree/tree.js'

/** All features of crud; each wraps the actions of those above it. */
export const FEATURES: readonly Feature[] = [
  bulk,
  softDelete,
  members,
  tree,
  references,
  children,
  include,
  aggregates,
  ifMatch,
  csvExport,
  csvImport,
  idempotency, // around everything that makes the reply, which it stores as a whole
  parent, // around all above: their handlers need the path arguments
  dialect, // around everything: it changes what the others read
]
