import type { z } from 'zod'
import type { BulkActions, BulkOption } from './bulk/actions.js'

/** Options that add actions: each is a room of its own, and its type parameter tells whether it was given. */
export interface ExtensionOptions<Bulk extends BulkOption | undefined = BulkOption | undefined> {
  /** Adds `createMany` and `updateMany`, or those named: at most 100 rows at once, all or none. @default neither */
  readonly bulk?: Bulk
}

/** The actions that the given options add, and no others. */
export type ExtensionActions<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType, Bulk> = BulkActions<Bulk, In, Out, Id>
