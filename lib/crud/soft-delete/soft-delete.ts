import type { Request } from 'express'
import { ForbiddenError } from '../../errors.js'
import type { LooseWhere } from '../options.js'
import { isAllowed, isPermitted } from '../rule.js'
import type { LooseSoftDelete } from './options.js'

/** The values of the query parameter `deleted`: the soft-deleted rows alone, or all rows. */
export type DeletedFilter = 'only' | 'with'

/** The soft deletion of a resource, as conditions. */
export interface SoftDelete extends LooseSoftDelete {
  /** Hold of rows that are not soft-deleted. */
  readonly live: LooseWhere
  /** Hold of rows that are. */
  readonly deleted: LooseWhere
}

const ANY_TIME = new Date(0)

export function softDeleteOf(options: LooseSoftDelete): SoftDelete {
  const { field } = options
  return {
    ...options,
    live: [[field, '=', null]],
    // No comparison holds of a null, so that both together hold of every other value.
    deleted: [{ any: [[[field, '<=', ANY_TIME]], [[field, '>', ANY_TIME]]] }],
  }
}

/**
 * Returns the condition of a list on soft-deleted rows.
 *
 * @throws ForbiddenError when a caller asks for soft-deleted rows and may not list them.
 */
export async function deletedWhere(softDelete: SoftDelete, req: Request, filter: DeletedFilter | undefined): Promise<LooseWhere> {
  if (filter === undefined) return softDelete.live
  if (!await maySeeDeleted(softDelete, req)) throw new ForbiddenError('You may not list deleted records')
  return filter === 'only' ? softDelete.deleted : []
}

/** Tells whether a caller may restore rows, and so may know which are soft-deleted. */
export async function maySeeDeleted({ allows }: SoftDelete, req: Request): Promise<boolean> {
  const restores = await isPermitted(req, 'restore')
  return (restores ?? allows !== undefined) && (allows === undefined || isAllowed(req, allows))
}

/** @throws ForbiddenError when `allows` is given and does not hold for this caller. */
export async function checkAllowed({ allows }: SoftDelete, req: Request): Promise<void> {
  if (allows !== undefined && !await isAllowed(req, allows)) throw new ForbiddenError()
}
