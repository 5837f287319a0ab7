import type { Request } from 'express'
import { RequestParam, validate } from 'resourcery'

/** The id in the path of a user. */
export function userIdOf(req: Request): number {
  return validate(RequestParam.params(req), { id: [['required', 'An id is needed'], ['integer', 'An id is a whole number']] }).id
}
