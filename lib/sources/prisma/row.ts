/** What Prisma's generated types say of a model: its columns and what it is related to. */
export interface Payload {
  readonly scalars: object
  readonly objects: object
  readonly composites: object
}

/** What a row of `findMany(args)` holds. */
export type RowOf<P extends Payload, Args> =
  Args extends { select: infer S extends object } ? Chosen<P, S>
  : Args extends { include: infer I extends object } ? Chosen<P, I> & Plain<P, Args>
  : Plain<P, Args>

type Plain<P extends Payload, Args> =
  Args extends { omit: infer O }
    ? Flat<Omit<Columns<P>, { [K in keyof O]: O[K] extends false | undefined ? never : K }[keyof O]>>
    : Columns<P>

type Columns<P extends Payload> = Flat<P['scalars'] & { [K in keyof P['composites']]: Related<P['composites'][K], true> }>

type Chosen<P extends Payload, Names> = {
  [K in keyof Names as Names[K] extends false | null | undefined ? never : K]:
    K extends keyof P['scalars'] ? P['scalars'][K]
    : K extends keyof P['objects'] ? Related<P['objects'][K], Names[K]>
    : K extends keyof P['composites'] ? Related<P['composites'][K], Names[K]>
    : K extends '_count' ? Counts<P, Names[K]>
    : never
}

type Related<R, Args> =
  R extends readonly (infer One extends Payload)[] ? RowOf<One, Args>[]
  : R extends Payload ? RowOf<R, Args>
  : R

type Counts<P extends Payload, Args> =
  Args extends { select: infer S } ? { [K in keyof S]: number }
  : { [K in keyof P['objects'] as P['objects'][K] extends readonly unknown[] ? K : never]: number }

type Flat<T> = { [K in keyof T]: T[K] }
