import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each source of `resourcery/sources/*` on the real library: see sources/libraries/package.json. */
export default defineConfig({
  root,
  resolve: { alias: [{ find: /^resourcery\/(.+)$/, replacement: `${root}lib/$1.ts` }] },
  test: {
    include: ['spec/sources/libraries/*.spec.ts'],
    typecheck: { include: ['spec/sources/libraries/*.test-d.ts'], tsconfig: './spec/sources/libraries/tsconfig.json' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
