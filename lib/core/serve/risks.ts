import type { Application } from 'express'
import { layersBelow } from '../express/layers.js'
import { rootOf, stackOf, type Layer } from '../express/stack.js'
import { settingsOf } from '../reply/handler-settings.js'
import { isNotFound } from '../reply/not-found.js'
import { warnAbout } from '../resource/start-checks.js'
import type { StartFinding } from '../routing/registry.js'
import { guardsAmong, hasGuards, middlewareIn, type Guard } from '../routing/guards.js'
import { isDeclared, listBelow } from '../routing/registry.js'

/** Finds what endangers an app in production, though it can be served. */
export function findRisks(app: Application): StartFinding[] {
  return [...lackOfErrorHandler(app), ...wrongOrder(app), ...trustInAll(app), ...guessableSecrets(app)]
}

/** Writes one process warning for each of these risks; small programs and tests may do without an error handler. */
export function warnOfRisks(app: Application): void {
  const isProduction = process.env.NODE_ENV === 'production'
  for (const { code, message } of findRisks(app)) {
    if (isProduction || code !== NO_ERROR_HANDLER) warnAbout(app, code, message)
  }
}

const NO_ERROR_HANDLER = 'error_handler_missing'

function lackOfErrorHandler(app: Application): StartFinding[] {
  if (stackOf(rootOf(app)).some(handlesErrors)) return []
  const message = 'The app has no error handler, so errors are pages of HTML. Mount `errorHandler()` after all routes.'
  return [{ code: NO_ERROR_HANDLER, message }]
}

function handlesErrors(layer: Layer): boolean {
  const fn = middlewareIn(layer)
  return typeof fn === 'function' && (fn.length === 4 || settingsOf(fn) !== undefined)
}

/** Finds resources after `notFound()`, and resources and `notFound()` after the last error handler. */
function wrongOrder(app: Application): StartFinding[] {
  const layers = stackOf(rootOf(app)).map((layer) => ({
    path: resourceIn(layer),
    isEnd: layer.slash === true && isNotFound(middlewareIn(layer)),
    handlesErrors: handlesErrors(layer),
  }))
  const end = layers.findIndex(({ isEnd }) => isEnd)
  const unreachable = layers.find(({ path }, at) => end !== -1 && at > end && path !== undefined)
  if (unreachable?.path !== undefined) {
    const message = `\`notFound()\` is mounted in front of ${unreachable.path}, and answers its requests. `
      + 'Mount it after all routes.'
    return [{ code: 'not_found_early', message }]
  }
  const last = layers.findLastIndex((layer) => layer.handlesErrors)
  const open = layers.find(({ path, isEnd }, at) => last !== -1 && at > last && (path !== undefined || isEnd))
  if (open === undefined) return []
  const message = `No error handler is mounted after ${open.path ?? '`notFound()`'}, so its errors are pages of HTML. `
    + 'Mount `errorHandler()` last.'
  return [{ code: 'error_handler_early', message }]
}

/** Returns the path of a resource in a layer, without its prefix; `undefined` if its errors are handled there. */
function resourceIn(outer: Layer): string | undefined {
  const layers = [...layersBelow([outer])]
  if (layers.some((layer) => layer !== outer && handlesErrors(layer))) return undefined
  const route = layers.flatMap((layer) => layer.route ?? []).find(isDeclared)
  return route && String(route.path)
}

function trustInAll(app: Application): StartFinding[] {
  if (app.get('trust proxy') !== true) return []
  const message = '`trust proxy` is true, so each client can set its own address in `X-Forwarded-For`, and rate '
    + 'limits and logs believe it. Name the number of proxies, or their addresses.'
  return [{ code: 'trust_proxy_all', message }]
}

function guessableSecrets(app: Application): StartFinding[] {
  if (!hasGuards()) return []
  const ofResources: Guard[] = listBelow(app).flatMap(({ entries }) => entries.flatMap(({ ownGuards }) => ownGuards))
  const middleware = [...layersBelow(stackOf(rootOf(app)))].flatMap((layer) => [layer, ...layer.route?.stack ?? []])
  const guards = [...guardsAmong(middleware.map(middlewareIn)), ...ofResources]
  const apps = new Set(guards.flatMap((guard) => (guard.isGuessable === true ? guard.app : [])))
  return [...apps].map((name) => ({
    code: 'secret_guessable',
    message: `The secret of \`auth('${name}')\` reads like a placeholder. `
      + 'Generate one with `openssl rand -base64 48`.',
  }))
}
