import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const without = { index: standIn('without-index'), compiledReplies: standIn('without-compiled-replies') }

function standIn(name: string): string {
  return fileURLToPath(new URL(`support/${name}.ts`, import.meta.url))
}

/** What stands in the place of an import that is only there for speed. */
function standInFor(source: string, importer = ''): string | undefined {
  if (source.endsWith('/routing/run.js') || (source === './run.js' && importer.includes('/lib/routing/'))) return without.index
  return source.endsWith('/compile.js') && importer.includes('/resource/compiled-reply/') ? without.compiledReplies : undefined
}

/** The specs that go through routes and replies, with resource routes found by Express alone and replies checked by zod alone: they hold all the same. */
export default defineConfig({
  ...base,
  plugins: [{ name: 'plain', enforce: 'pre', resolveId: standInFor }],
  test: {
    ...base.test,
    include: [
      'flow', 'mediation', 'mediation.property', 'permission', 'not-found', 'auth/*', 'resource/*', 'blog/*', 'routing/look-ahead*',
      'crud', 'crud/bulk', 'crud/field-rules', 'crud/hooks', 'crud/scope', 'crud/soft-delete', 'crud/tree', 'crud/if-match/if-match', 'crud/idempotency/idempotency',
    ].map((name) => `spec/${name}.spec.ts`),
  },
})
