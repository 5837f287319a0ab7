import type { Request } from 'express'
import { ForbiddenError } from '../../errors.js'
import { stateOf } from '../../routing/request-state.js'
import type { LooseWhere } from '../options.js'
import { isAllowed } from '../rule.js'
import type { LooseTrash } from './options.js'

/** What `trashed` may ask for: the bin alone, or all there is. */
export type Trashed = 'only' | 'with'

/** The bin of a resource, as conditions. */
export interface Bin extends LooseTrash {
  /** Hold of what is not in the bin. */
  readonly outside: LooseWhere
  /** Hold of what is in it. */
  readonly inside: LooseWhere
}

const ANY_TIME = new Date(0)

export function binOf(trash: LooseTrash): Bin {
  const { field } = trash
  return {
    ...trash,
    outside: [[field, '=', null]],
    // No comparison holds of a null, so that both together hold of everything else.
    inside: [{ any: [[[field, '<=', ANY_TIME]], [[field, '>', ANY_TIME]]] }],
  }
}

/**
 * What a list shows of rows and bin.
 *
 * @throws ForbiddenError when a caller asks for the bin who may not list it.
 */
export async function trashedWhere(bin: Bin, req: Request, trashed: Trashed | undefined): Promise<LooseWhere> {
  if (trashed === undefined) return bin.outside
  if (!await mayList(bin, req)) throw new ForbiddenError('You may not look into the bin')
  return trashed === 'only' ? bin.inside : []
}

/** Whether a caller may restore, and so may know what is in the bin. */
export async function mayList({ allows }: Bin, req: Request): Promise<boolean> {
  const { route } = stateOf(req)
  const restores = route?.permission === undefined ? allows !== undefined : await isAllowed(req, route.name.replace(/[^.]*$/, 'restore'))
  return restores && (allows === undefined || isAllowed(req, allows))
}

/** @throws ForbiddenError when the bin has a rule of its own, and this caller is not among those it allows. */
export async function checkAllowed({ allows }: Bin, req: Request): Promise<void> {
  if (allows !== undefined && !await isAllowed(req, allows)) throw new ForbiddenError()
}
