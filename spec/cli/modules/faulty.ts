import { Router } from 'express'
import { resource } from 'resourcery'

/** Throws a value other than an error. */
export default function thrower(): never {
  throw 'thrown'
}

/** A resource whose mistake is detected when it is sealed. */
export const broken = Router()
resource(broken, '/users').app('no app').list(() => [])
