import type { z } from 'zod'
import type { Traits } from '../resource/declaration.js'
import type { BulkActions, BulkOption } from './bulk/actions.js'
import type { ExportAction } from './export/action.js'
import type { ExportOption } from './export/options.js'
import type { ImportAction } from './import/action.js'
import type { ImportOption } from './import/options.js'
import type { SoftDeleteActions } from './soft-delete/actions.js'

/** Options that add actions: each is a room of its own, and its type parameter tells whether it was given. */
export interface ExtensionOptions<
  Bulk extends BulkOption | undefined = BulkOption | undefined,
  Export extends ExportOption | undefined = ExportOption | undefined,
  Import extends ImportOption | undefined = ImportOption | undefined,
> {
  /** Adds `createMany` and `updateMany`, or those named: at most 100 rows at once, all or none. @default neither */
  readonly bulk?: Bulk
  /** Adds `export`: the rows of the list as a CSV file, all pages of it. Needs the package `csv-stringify`. @default none */
  readonly export?: Export
  /** Adds `import`: a CSV file whose rows are created, all or none. Needs the package `csv-parse`. @default none */
  readonly import?: Import
}

/** What an action says of itself to guards and documents, not what it does. */
export type ActionMetadata = Pick<
  Traits, 'auth' | 'can' | 'deprecated' | 'description' | 'doc' | 'examples' | 'meta' | 'summary' | 'tags'
>

/** More actions, and metadata of all of them by their names. */
export interface ActionOptions<Names extends PropertyKey, Custom> {
  /** More actions, as `custom` of `mountResource` takes them. @default none */
  readonly custom?: Custom
  /** Metadata of single actions: `{ list: { auth: 'optional', can: false, summary: 'All posts' } }`. @default none */
  readonly perAction?: Readonly<Partial<Record<Names, ActionMetadata>>>
}

/** The actions that the given options add, and no others; `Deleted` is the field of `softDelete`. */
export type ExtensionActions<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType, Bulk, Export, Import, Deleted, Query = unknown> =
  Pick<All<In, Out, Id, Bulk, Query>, keyof BulkActions<Bulk, In, Out, Id> | NameIf<Export, 'export'> | NameIf<Import, 'import'> | ([Deleted] extends [never] ? never : 'restore' | 'purge')>

type All<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType, Bulk, Query> = BulkActions<Bulk, In, Out, Id> & ExportAction<Query> & ImportAction & SoftDeleteActions<Out, Id>

type NameIf<Option, Name> = Option extends undefined ? never : Name
