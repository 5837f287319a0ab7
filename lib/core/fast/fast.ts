import { useImplementation } from '../express/implementation.js'
import { copyWithCheck } from './compile-output.js'
import { plainJson } from './plain-json.js'
import { layersFor } from './router-view.js'
import { routeAfter } from './walk.js'
import { setLocation, writeAtOnce } from './write-at-once.js'

/** False if the environment had `RESOURCERY_FAST=off` when the package was imported. */
export const IS_FAST = process.env.RESOURCERY_FAST !== 'off'

/** Selects the fast path for the requests of this process, apart from those that `usePlainPath` has marked. */
export function enableFastPath(): void {
  useImplementation({
    layersFor,
    routeAfter,
    setLocation,
    writeReply: writeAtOnce,
    copyIfValid: copyWithCheck,
    plainJson,
  })
}
