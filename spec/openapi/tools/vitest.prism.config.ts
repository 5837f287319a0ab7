import { fileURLToPath } from 'node:url'
import base from '../../vitest.config.js'

/** The HTTP suite of the blog, with `prism proxy --errors` in front of every documented operation. */
export default {
  ...base,
  test: {
    ...base.test,
    include: ['spec/blog/**/*.spec.ts'],
    setupFiles: [fileURLToPath(new URL('prism-in-front.ts', import.meta.url))],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A proxy for each file, on few processors.
    maxWorkers: 1,
  },
}
