import type { ActionsOf, Mounted, MountedAction, PathArgs } from '../core/resource/mounted.js'
import type { Result } from './result.js'

/** The type of a value after JSON: a `Date` and a bigint become strings, a method is left out. */
export type Wire<T> = unknown extends T ? T
  : T extends string | number | boolean | null | undefined ? T
  : T extends bigint ? string
  : T extends readonly Json[] ? T
  : T extends { toJSON(): infer Made } ? Wire<Made>
  : T extends symbol | ((...args: never) => unknown) ? never
  : { [K in keyof T]: Wire<T[K]> }

/** A value that JSON holds as it is; a list in `z.json()` nests in itself, which `Wire` could not follow to an end. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** A file of React Native, named by its place on the device; send it with `multipart`. */
export interface NativeFile {
  readonly uri: string
  readonly name: string
  readonly type: string
}

/** A file to upload; any `File` is a `Blob`. */
export type FileValue = Blob | NativeFile

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The `ETag` of the version to be changed: `reply.headers.get('ETag')`. */
  readonly ifMatch?: string | undefined
  /** Carries the request out once, however often it is repeated. */
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sends the body as a form, for files of React Native. @default whether there is a `Blob` in it */
  readonly multipart?: boolean | undefined
  /**
   * Receives the bytes sent so far, where the environment has `XMLHttpRequest` and `createClient` was given no `fetch`.
   */
  readonly onUploadProgress?: ((progress: { readonly loaded: number; readonly total: number }) => void) | undefined
}

// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a type without members is what is meant
type NoArgs = Readonly<Record<never, never>>

/** One action of a resource; its argument may be left out where nothing in it is required. */
export type Call<Args, Data> = [KeysOf<Args>] extends [never]
  ? (args?: Record<string, never>, options?: CallOptions) => Promise<Result<Data>>
  : NoArgs extends Args ? (args?: Args, options?: CallOptions) => Promise<Result<Data>>
  : (args: Args, options?: CallOptions) => Promise<Result<Data>>

/** The names in all variants of a union: `keyof` gives those that the variants share. */
type KeysOf<T> = T extends unknown ? keyof T : never

/** The calls of one resource. */
export type ResourceClient<M extends Mounted> = Calls<ActionsOf<M>> & Iteration<ActionsOf<M>>

/** The calls of all resources, under their names. */
export type Client<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends Mounted ? ResourceClient<Api[Name]> : never
}

/** Resources under their own names: `{ users: typeof users }`. */
export type Apis<Api> = { readonly [Name in keyof Api]: Mounted<Name & string> }

type Calls<Actions> = {
  readonly [Name in keyof Actions]: Actions[Name] extends MountedAction
    ? Call<ArgsOf<Name, Actions[Name], Actions>, DataOf<Actions[Name]>>
    : never
}

type Iteration<Actions> = 'all' extends keyof Actions ? unknown
  : Actions extends { readonly list: infer List extends MountedAction } ? {
      /** Iterates over the rows of all pages. @throws ApiError when a page fails. */
      readonly all: (
        args?: ArgsOf<'list', List, Actions>,
        options?: CallOptions,
      ) => AsyncGenerator<ItemOf<DataOf<List>>, void, undefined>
    }
  : unknown

type ItemOf<Data> = Data extends readonly (infer Item)[] ? Item : unknown

type DataOf<Action extends MountedAction> = Action['output'] extends Producing<infer Data> ? Wire<Data> : unknown

/*
 * Schemas by the one member that is read: whether a type is a schema takes the compiler half of the time of a call.
 */
interface Producing<Data> {
  readonly _zod: { readonly output: Data }
}
interface Reading<Args> {
  readonly _zod: { readonly input: Args }
}

type ArgsOf<Name, Action extends MountedAction, Actions> = Declares<Action> extends true ? Flat<
    & Omit<PathValues<Action['path']>, keyof Sent<Action>>
    & Sent<Action>
    & Omit<Paging<Name, KeysOf<Sent<Action>>>, keyof Sent<Action>>
    & Files<Action['files']>
  >
  : Flat<PathValues<Action['path']> & Files<Action['files']> & UndeclaredArgs<Name, Actions>>

type Declares<Action extends MountedAction> = Action['input'] extends Reading<unknown> ? true
  : Action['query'] extends Reading<unknown> ? true
  : false
type Sent<Action extends MountedAction> = Read<Action['input']> & Read<Action['query']>
/** The input of a schema; zod describes one without fields by an index signature, which no argument would fit. */
type Read<S> = S extends Reading<infer Args> ? Record<string, never> extends Args ? OrNothing<Args> : Args : unknown
type OrNothing<Fields> = string extends keyof Fields ? Fields[keyof Fields] extends never ? unknown : Fields : Fields

/** The parameters of a list whose schema has none of paging, as documents name them. */
interface PageArgs {
  readonly page?: number | undefined
  readonly limit?: number | undefined
  readonly search?: string | undefined
}
type Paging<Name, Declared> = Name extends 'list'
  ? Extract<Declared, 'page' | 'limit' | 'cursor'> extends never ? PageArgs : NoArgs
  : NoArgs

/** An action without a schema takes any arguments. */
type UndeclaredArgs<Name, Actions> = Name extends 'deleteMany' ? { readonly ids: readonly IdOf<Actions>[] }
  : Name extends 'list' ? PageArgs & Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

type PathValues<Path extends string> = {
  [Name in keyof PathArgs<Path>]: PathArgs<Path>[Name] extends string ? string | number : readonly (string | number)[]
}

type IdOf<Actions> = Actions extends { readonly delete: { readonly input: Reading<infer Args> } } ? IdIn<Args>
  : Actions extends { readonly show: { readonly input: Reading<infer Args> } } ? IdIn<Args>
  : string | number
type IdIn<Args> = Args extends { readonly id: infer Id } ? Id : string | number

/** A field for one file takes no list; an undeclared `maxCount` is one, a computed one is not known. */
type Files<F> = F extends object ?
    & { readonly [Field in keyof F as IsRequired<F[Field]> extends true ? Field : never]: FilesOf<F[Field]> }
    & {
      readonly [Field in keyof F as IsRequired<F[Field]> extends true ? never : Field]?: FilesOf<F[Field]> | undefined
    }
  : unknown
type IsRequired<Rule> = Rule extends { readonly required: true } ? true : false
type FilesOf<Rule> = Rule extends { readonly maxCount: infer Most }
  ? Most extends 1 ? FileValue : FileValue | readonly FileValue[]
  : 'maxCount' extends keyof Rule ? FileValue | readonly FileValue[]
  : FileValue

type Flat<T> = T extends unknown ? { [K in keyof T]: T[K] } : never
