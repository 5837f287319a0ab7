import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^resourcery$/, replacement: `${root}lib/index.ts` },
      { find: /^resourcery\/(.+)$/, replacement: `${root}lib/$1.ts` },
    ],
  },
  test: {
    include: ['spec/**/*.spec.ts'],
    exclude: [...configDefaults.exclude, 'spec/databases/**', 'spec/sources/libraries/**'],
    typecheck: { include: ['spec/**/*.test-d.ts'], exclude: [...configDefaults.exclude, 'spec/sources/libraries/**'], tsconfig: './tsconfig.json' },
    setupFiles: [`${root}spec/support/fast-path.ts`],
    // A machine under load takes several times as long as an idle one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts'],
      thresholds: { lines: 95, branches: 95 },
      reporter: ['text'],
    },
  },
})
