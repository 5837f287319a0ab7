import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const folder = process.env.VERSIONS ?? ''

/** The specs that go through Express, with the versions of a folder: see versions/run.ts. */
export default defineConfig({
  ...base,
  resolve: {
    alias: [
      ...base.resolve?.alias as [],
      { find: /^(express|router|zod)$/, replacement: `${folder}node_modules/$1` },
    ],
  },
  test: {
    ...base.test,
    include: [
      'versions/*', 'flow', 'mediation', 'permission', 'not-found', 'send', 'error-handler', 'auth/auth', 'resource/*', 'routing/look-ahead*', 'fast/routing.property',
      'express/*', 'serve', 'serve/*', 'crud', 'body',
    ].map((name) => `spec/${name}.spec.ts`),
  },
})
