import type { Request } from 'express'
import type { z } from 'zod'
import { ForbiddenError } from '../../../core/index.js'
import { isAllowed, isPermitted, type Action, type Conditions, type Rule, type Titled } from '../../core/index.js'

type Field<R> = keyof R & string
/** A column of time that may be null. */
type SoftDeleteField<R> = {
  [K in Field<R>]: null extends R[K] ? (NonNullable<R[K]> extends Date ? K : never) : never
}[Field<R>]

/** Soft deletion: a deleted row is marked, and can be restored or purged. */
export interface SoftDeleteOptions<R, F extends SoftDeleteField<R> = SoftDeleteField<R>> {
  /** A nullable column of time: when the row was deleted. Only `delete` and `restore` write it. */
  readonly field: F
  /**
   * Fields with a unique constraint in the store. A conflict with a soft-deleted row is `conflict_deleted` for callers
   * who may list those.
   *
   * @default none
   */
  readonly unique?: readonly Field<R>[] | undefined
  /**
   * The rule for callers who list soft-deleted rows, restore and purge them, in addition to the permissions.
   *
   * @default every caller with the permissions; without permissions no caller lists soft-deleted rows
   */
  readonly allows?: Rule
}

/** The option by itself: the type of its field is `never` without it. */
export interface SoftDeleteOption<R, F> {
  /** Marks rows as deleted instead of removing them, and adds `restore` and `purge`. @default rows are removed */
  readonly softDelete?: SoftDeleteOptions<R, F & SoftDeleteField<R>>
}

/** An action on a soft-deleted row. */
export interface SoftDeleteAction<Method extends string, Route extends string, Id extends z.ZodType,
  O extends z.ZodType>
  extends Action<z.ZodObject<{ id: Id }>, O>, Titled
{
  readonly methods: readonly [Method]
  readonly route: Route
}

interface AllActions<Out extends z.ZodObject, Id extends z.ZodType> {
  readonly restore: SoftDeleteAction<'PUT', '/:id/restore', Id, Out>
  readonly purge: SoftDeleteAction<'DELETE', '/:id/purge', Id, z.ZodNull>
}

/** The actions that the option adds; `F` is its field, `never` without the option. */
export type SoftDeleteActions<F, Out extends z.ZodObject, Id extends z.ZodType> = Pick<
  AllActions<Out, Id>,
  [F] extends [never] ? never : SoftDeleteHooks
>
export type SoftDeleteHooks = 'restore' | 'purge'

/** The parameters that the option adds to the list; `F` is its field, `never` without the option. */
export type SoftDeleteArgs<F extends string = string> = [F] extends [never] ? object
  : { readonly deleted?: 'only' | 'with' | undefined }

export type AnySoftDelete = SoftDeleteOptions<Record<string, Date | null>>

/** The soft deletion of a resource. */
export interface SoftDelete extends AnySoftDelete {
  /** Conditions of the rows that are not soft-deleted. */
  readonly live: Conditions
  /** Conditions of the rows that are. */
  readonly deleted: Conditions
}

const ANY_TIME = new Date(0)

/** Returns the soft deletion of a resource with its conditions. */
export function softDeleteOf(options: AnySoftDelete): SoftDelete {
  const { field } = options
  return {
    ...options,
    live: [[field, '=', null]],
    // No comparison holds of a null, so that both together hold of every other value.
    deleted: [{ any: [[[field, '<=', ANY_TIME]], [[field, '>', ANY_TIME]]] }],
  }
}

/** Checks whether a caller may restore rows, and so may know which are soft-deleted. */
export async function maySeeDeleted({ allows }: SoftDelete, req: Request): Promise<boolean> {
  const restores = await isPermitted(req, 'restore')
  return (restores ?? allows !== undefined) && (allows === undefined || isAllowed(req, allows))
}

/** @throws ForbiddenError when `allows` is given and does not hold for this caller. */
export async function checkAllowed({ allows }: SoftDelete, req: Request): Promise<void> {
  if (allows !== undefined && !await isAllowed(req, allows)) throw new ForbiddenError()
}
