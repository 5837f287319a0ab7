import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { AREAS } from './areas.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { specs = [], plain = false } = AREAS[process.env.MUTATION_AREA ?? ''] ?? {}

/** Runs the specs of one area, on the mutated copy of lib. */
export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^resourcery$/, replacement: `${root}lib/entries/index.ts` },
      { find: /^resourcery\/(.+)$/, replacement: `${root}lib/entries/$1.ts` },
    ],
  },
  test: {
    isolate: false,
    env: { ...(plain && { RESOURCERY_FAST: 'off' }) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: specs.map((name) => `spec/${name}.spec.ts`),
  },
})
