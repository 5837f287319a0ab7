import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The same suites as in `npm test`, on the servers of TEST_POSTGRES_URL and TEST_MARIADB_URL: see support/databases.ts. */
export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^resourcery$/, replacement: `${root}lib/index.ts` },
      { find: /^resourcery\/(.+)$/, replacement: `${root}lib/$1.ts` },
    ],
  },
  test: {
    include: ['spec/databases/**/*.spec.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
