import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const instead = fileURLToPath(new URL('support/without-index.ts', import.meta.url))

function isIndex(source: string, importer = ''): boolean {
  return source.endsWith('/routing/run.js') || (source === './run.js' && importer.includes('/lib/routing/'))
}

/** The specs that go through Express's routing, with resource routes found by Express alone: they hold all the same. */
export default defineConfig({
  ...base,
  plugins: [{ name: 'without-index', enforce: 'pre', resolveId: (source, importer) => (isIndex(source, importer) ? instead : undefined) }],
  test: {
    ...base.test,
    include: ['flow', 'mediation', 'mediation.property', 'permission', 'not-found', 'auth/*', 'resource/*', 'blog/*', 'routing/look-ahead*'].map((name) => `spec/${name}.spec.ts`),
  },
})
