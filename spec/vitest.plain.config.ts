import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The specs that go through routes and replies, with the fast path switched off: Express finds the routes and zod checks the replies. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    env: { RESOURCERY_FAST: 'off' },
    include: [
      'flow', 'mediation', 'mediation.property', 'permission', 'not-found', 'auth/*', 'resource/*', 'blog/*', 'routing/*', 'send', 'serve', 'serve/*',
      'error-handler', 'express/*', 'fast/routing.property',
      'crud', 'crud/bulk', 'crud/field-rules', 'crud/hooks', 'crud/scope', 'crud/soft-delete', 'crud/tree', 'crud/if-match/if-match', 'crud/idempotency/idempotency',
    ].map((name) => `spec/${name}.spec.ts`),
  },
})
