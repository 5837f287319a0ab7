import type { Request } from 'express'
import type { z } from 'zod'
import type { RawCondition, Where } from '../contract/store.js'

/**
 * The filters of a list by one field; the schemas read values that arrive as strings. At most one of `eq`, `oneOf` and
 * `contains` is given, since they read the same parameter.
 */
export type FieldFilter<Value> = OwnFilter<Value> & MoreFilters<Value>

/** The filter whose parameter has the name of the field. */
type OwnFilter<Value> =
  | {
    /** `?status=1` */
    readonly eq?: z.ZodType<Value> | undefined
    readonly oneOf?: undefined
    readonly contains?: undefined
  }
  | {
    /** `?status=1&status=2`: one of at most 100. */
    readonly oneOf: z.ZodType<Value>
    readonly eq?: undefined
    readonly contains?: undefined
  }
  | {
    /** `?title=part`: a string, literally, without regard to case. */
    readonly contains: Value extends string ? true : unknown extends Value ? true : never
    readonly eq?: undefined
    readonly oneOf?: undefined
  }

interface MoreFilters<Value> {
  /** `?age_gte=18&age_lte=30`: bounds that belong to the range. */
  readonly range?: z.ZodType<Value> | undefined
  /** `?status_ne=1`: every other value, and null. */
  readonly ne?: z.ZodType<Value> | undefined
  /** `?age_isNull=true` for rows without a value, `false` for all others. */
  readonly isNull?: true | undefined
}

/** A filter of your own: see {@link filter}. */
export interface CustomFilter<Row> {
  readonly value: z.ZodType
  readonly where: (value: never, req: Request) => Where<Row> | Promise<Where<Row>>
}

/**
 * Makes a filter of your own from a schema that reads the value and a function that returns its conditions, at once or
 * in a promise.
 *
 * @example
 * const mine = filter(param.bool(), (wanted, req) => (wanted ? [['authorId', '=', Number(req.auth?.id)]] : []))
 * const posts = memoryStore({ key: 'id', rows: [{ id: 1, authorId: 7 }] })
 * const output = z.object({ id: z.int(), authorId: z.int() })
 * crud(posts, { input: output.omit({ id: true }), output, customFilters: { mine } })
 */
export function filter<S extends z.ZodType, const Conditions extends AnyConditions>(
  value: S,
  where: (value: z.output<S>, req: Request) => Conditions | Promise<Conditions>,
): { readonly value: S; readonly where: (value: never, req: Request) => Conditions | Promise<Conditions> } {
  return { value, where }
}

/** Conditions of any store: `crud` compares them with its rows. */
type AnyConditions = readonly (
  | readonly [field: string, operator: string, value: unknown]
  | { readonly any: readonly AnyConditions[] }
  | RawCondition
)[]
