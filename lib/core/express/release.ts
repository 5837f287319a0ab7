import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import express from 'express'
import { warnOnce } from '../base/warn-once.js'
import type { ExpressApp } from './entry.js'
import { isOriginal, ORIGINAL_NAMES, type OriginalName } from './originals.js'
import { lastLayer, partsOf } from './stack.js'

/** Returns the functions of a release of Express that the fast path compares. */
export function functionsOf(installed: typeof express): Readonly<Record<OriginalName, unknown>> {
  const app: ExpressApp = installed()
  const router = installed.Router()
  router.route('/')
  const { handle, stack } = partsOf(router)
  const layer = lastLayer(stack)
  return {
    'app.handle': app.handle,
    'router': router,
    'router.handle': handle,
    'layer.handleRequest': layer.handleRequest,
    'layer.handleError': layer.handleError,
    'layer.match': layer.match,
    'res.json': installed.response.json,
    'res.send': installed.response.send,
  }
}

/** Matches the files of the two packages, but not those of packages inside them. */
const FILES = /[\\/]node_modules[\\/](?:express|router)[\\/](?!.*node_modules[\\/])/

/** Returns the source of the files of Express and its router that are loaded; none for an app that was bundled. */
function loadedSources(): string[] {
  // The cache is the same for every file that is given.
  const files = Object.keys(createRequire(process.execPath).cache).filter((file) => FILES.test(file))
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))
}

/**
 * Returns the names of the functions of a release that the fast path does not know. The functions of a tracer, which
 * replaces or rewrites those of Express, are none of them: their source is in no file of the release.
 */
export function unknownFunctions(installed: typeof express): OriginalName[] {
  const functions = functionsOf(installed)
  const unknown = ORIGINAL_NAMES.filter((name) => !isOriginal(name, functions[name]))
  const sources = unknown.length === 0 ? [] : loadedSources()
  if (sources.length === 0) return unknown
  return unknown.filter((name) => {
    const own = Function.prototype.toString.call(functions[name])
    return sources.some((source) => source.includes(own))
  })
}

/**
 * Warns, once in a process, of functions of the installed `express` and `router` that the fast path does not know, as
 * in a new release.
 */
export function warnOfUnknownRelease(): void {
  const unknown = unknownFunctions(express)
  if (unknown.length === 0) return
  warnOnce(
    express,
    `The fast path does not know ${unknown.map((name) => `\`${name}\``).join(', ')} of the installed release of `
      + '`express` and `router`. Express alone does what depends on them, with the same replies, at its own speed.',
    { code: 'RESOURCERY_EXPRESS_UNKNOWN' },
  )
}
