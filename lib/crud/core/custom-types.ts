import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Args, CustomActions, CustomParts, InputOf, LooseCustom, Returned } from '../../core/index.js'
import type { PathArgs } from '../../core/resource/mounted.js'

/** The option `load` of a custom action. */
export interface CustomLoad<Load = boolean> {
  /**
   * Loads the row that `:id` names, as `show` does: by `scope`, `check`, soft deletion and `parent`, else the reply is
   * 404 or what `check` throws. The handler gets it as its fourth argument. @default false
   */
  readonly load?: Load & boolean
}

/** The arguments that crud reads from the path of a custom action: the key, and those of parents. */
type CustomKeys<Route, Id extends z.ZodType, Parents> =
  & (Route extends string ? 'id' extends keyof PathArgs<Route> ? { id: z.output<Id> } : object : object)
  & Parents

/** The custom actions of crud; `L` are their `load`. */
export type CrudCustomActions<Row, Id extends z.ZodType, Parents, R, I, Q, O, F, L> =
  & CustomParts<R, I, Q, O, F>
  & { readonly [K in keyof L]: CustomLoad<L[K]> }
  & {
    readonly [
      // `as` prevents inference from the handlers.
      K in keyof R as K
    ]: {
      readonly handler: (
        req: Request,
        res: Response,
        args: Args<R[K] & string, WithKeys<At<I, K>, CustomKeys<R[K], Id, Parents>>, At<Q, K>>,
        ...row: At<L, K> extends true ? [row: Row] : []
      ) => Returned<At<O, K>>
    }
  }

/** The custom actions that crud returns: their `input` reads the path arguments too. */
export type MadeCustomActions<R, I, Q, O, F, Id extends z.ZodType, Parents> = CustomActions<
  '',
  R,
  {
    readonly [K in keyof R as At<I, K> | keyof CustomKeys<R[K], Id, Parents> extends undefined ? never : K]: WithKeys<
      At<I, K>,
      CustomKeys<R[K], Id, Parents>
    >
  },
  Q,
  O,
  { readonly [K in keyof F as unknown extends F[K] ? never : K]: F[K] }
>

/** A schema that reads more arguments; those that it reads itself stay. */
type WithKeys<I, Keys> = [keyof Keys] extends [never] ? I
  : z.ZodType<Joined<Keys, InputOf<I, 'output'>>, Joined<Keys, InputOf<I, 'input'>>>
type Joined<Keys, Own> = Own extends unknown ? Flat<Omit<Keys, keyof Own> & Own> : never
type Flat<T> = { [K in keyof T]: T[K] }
type At<T, K> = K extends keyof T ? T[K] : undefined

/** A custom action of any resource. */
export type AnyCustom = LooseCustom & CustomLoad
