import type { CheckTime } from '../../core/index.js'
import type { AnyWhere } from './checks.js'

type Row = Readonly<Record<string, unknown>>

/*
 * Writes of one row by one statement, which the database undoes by itself if it fails. They are no part of a `Store`:
 * an object that forwards to one, perhaps with changes of its own, must not inherit a way around these.
 */

/** A limit of the values of a column. */
export type Limit =
  | { readonly is: 'integer' | 'email' | 'uuid' }
  | { readonly is: '>=' | '<=' | '>' | '<' | 'minLength' | 'maxLength'; readonly value: number }
  | { readonly is: 'oneOf'; readonly values: readonly string[] }

/** The values of a column that a schema certainly accepts: of a type, within all limits; `any` without limits. */
export interface Accepted {
  readonly type: 'any' | 'string' | 'number' | 'boolean' | 'date' | 'calendarDate'
  readonly isNullable: boolean
  readonly limits: readonly Limit[]
  /** True for a value of this type that the schema accepts, `null` aside. */
  readonly accepts: (value: unknown) => boolean
}

export type AcceptedColumns = Readonly<Record<string, Accepted>>

/** The properties of the written row without which nothing is written. */
export interface Ensured {
  readonly columns: AcceptedColumns
  readonly where: AnyWhere
  /** The seconds for all of the work that the write is a part of; the write takes at most three quarters of them. */
  readonly seconds: number
  readonly checkTime: CheckTime
}

/**
 * Each method returns the written row. It returns `undefined` if it has written nothing and only a transaction can tell
 * why: no row matches, the store cannot ensure what it should, or a deadlock has undone the statement.
 */
export interface SingleWrites {
  readonly create: (fields: Row, ensured: Ensured) => Promise<Row | undefined>
  readonly update: (change: SingleChange, ensured: Ensured) => Promise<Row | undefined>
}

/** A change of the row with this key, if it meets the conditions. */
interface SingleChange {
  readonly key: unknown
  readonly where: AnyWhere
  readonly changes: Row
  /** Columns that are increased by one; null counts as 0. */
  readonly increments: readonly string[]
}
