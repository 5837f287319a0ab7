import type { Application } from 'express'
import { layersBelow } from '../express/layers.js'
import { rootOf, stackOf } from '../express/stack.js'
import { settingsOf } from '../reply/handler-settings.js'
import { warnAbout } from '../resource/start-checks.js'
import type { StartFinding } from '../routing/registry.js'
import { guardsAmong, hasGuards, middlewareIn, type Guard } from '../routing/guards.js'
import { listBelow } from '../routing/registry.js'

/** Finds what endangers an app in production, though it can be served. */
export function findRisks(app: Application): StartFinding[] {
  return [...lackOfErrorHandler(app), ...trustInAll(app), ...guessableSecrets(app)]
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
  const handlers = stackOf(rootOf(app)).map(middlewareIn)
  if (handlers.some((fn) => typeof fn === 'function' && (fn.length === 4 || settingsOf(fn) !== undefined))) {
    return []
  }
  const message = 'The app has no error handler, so errors are pages of HTML. Mount `errorHandler()` after all routes.'
  return [{ code: NO_ERROR_HANDLER, message }]
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
