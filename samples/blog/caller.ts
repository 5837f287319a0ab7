import type { Request } from 'express'
import { UnauthorizedError } from 'resourcery'

export interface Caller {
  readonly id: number
  readonly isAdmin: boolean
}

/** Who is calling, on a route that `auth` stands in front of. */
export function callerOf({ auth }: Request): Caller {
  if (auth === undefined) throw new UnauthorizedError()
  return { id: Number(auth.id), isAdmin: auth.role === 'admin' }
}
