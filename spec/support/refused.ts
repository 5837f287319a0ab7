import type { Express } from 'express'
import { checkNames } from '../../lib/core/resource/names.js'

/** Returns true for an app with two routes in the same place, which `serve` refuses and `app.listen` serves. */
export function isRefused(app: Express): boolean {
  try {
    checkNames(app)
    return false
  } catch {
    return true
  }
}
