import { Router } from 'express'
import { resource } from 'resourcery'

/** Fails with something that is no error. */
export default function thrower(): never {
  throw 'thrown'
}

/** A resource whose mistake shows when it is sealed. */
export const broken = Router()
resource(broken, '/users').app('no app').list(() => [])
