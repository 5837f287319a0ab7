/*
 * Types that add nothing to what is accepted. The compiler widens the literals of a value that it infers for a type
 * parameter: `{ status: 'open' }` would be `{ status: string }`, which fits no enum. It keeps them where the type that
 * it expects has a literal, so these types have some.
 */

/** Any value; strings and booleans in its fields keep their literal types. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- `unknown` would absorb the fields
export type Literal = {} | null | undefined | LiteralFields<'' | true>

/** An object or a list with literals. */
interface LiteralFields<L> {
  readonly [name: string]: LiteralFields<L> | L
}

/**
 * `never`, as soon as the type parameter `T`, which extends `Known`, is inferred. Until then the compiler expects the
 * other branch: write `Result<O> | LiteralsUntil<O, Schema | undefined>` for what a function returns.
 */
export type LiteralsUntil<T, Known> = [Known] extends [T] ? Hint | Promise<Hint> : never

type Hint = LiteralFields<'' | 0 | 0n | true>
