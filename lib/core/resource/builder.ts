import type { RequestHandler } from 'express'
import type { FileFields } from '../base/types.js'
import { Draft } from './draft.js'
import type { ActionName, Mounted, MountedAction, NameFromRoute, Schema } from './mounted.js'
import type { LooseAction } from './loose-declaration.js'
import type { Bare, GroupTraits, Input, Method, Spec } from './declaration.js'
import { checkTarget, type Target } from './mount.js'
import { checkWhenListening } from './start-checks.js'

/** Declares a default action, with the types of `mountResource`. */
export type DefaultAction<
  Key extends ActionName,
  Path extends string,
  Route extends string,
  Name extends string,
  Actions,
> = <
  const I extends Input | undefined = undefined,
  const Q extends Input | undefined = undefined,
  O extends Schema | undefined = undefined,
  const F extends FileFields | undefined = undefined,
>(
  action: Bare<Path> | Spec<Path, I, Q, O, F, Key extends 'store' ? true : false>,
) => ResourceBuilder<Route, Name, Actions & Readonly<Record<Key, MountedAction<Path, I, Q, O, F>>>>

/** Declares a custom action below the path of the resource. */
type CustomAction<Route extends string, Name extends string, Actions> = <
  const Key extends string,
  const Path extends string,
  const I extends Input | undefined = undefined,
  const Q extends Input | undefined = undefined,
  O extends Schema | undefined = undefined,
  const F extends FileFields | undefined = undefined,
>(name: Key, path: Path,
  action: Bare<`${Route}${Path}`> | Spec<`${Route}${Path}`, I, Q, O, F>
) => ResourceBuilder<Route, Name, Actions & Readonly<Record<Key, MountedAction<`${Route}${Path}`, I, Q, O, F>>>>

/**
 * A resource that is being declared. Each call returns the same builder, whose type includes the action that the call
 * adds.
 */
export interface ResourceBuilder<Path extends string, Name extends string = NameFromRoute<Path>, Actions = unknown>
  extends Mounted<Name, Actions>
{
  /** The application whose `auth` and `permission` guard the routes. */
  app(app: string): this
  /** The middle of every permission id. @default the static segments of the path, joined by dots */
  name<const New extends string>(name: New): ResourceBuilder<Path, New, Actions>
  /** The singular of the name, for summaries, operation ids and models. @default made from the name by English rules */
  singular(singular: string): this
  /** Offers the GET actions to agents through `resourcery/mcp`. */
  tool(): this
  /** The guards of the application, mounted on the routes: `guards(auth(…), permission(…))`. */
  guards(...guards: readonly RequestHandler[]): this
  summary(summary: string): this
  description(description: string): this
  tags(...tags: readonly string[]): this
  /** The documentation domains, or `false` for none. @default the app */
  doc(...domains: readonly string[] | readonly [false]): this
  meta(key: string, value: unknown): this
  /** Makes the routes public: credentials are not read. */
  skipAuth(): this
  /** Admits anonymous callers; invalid credentials are refused. */
  optionalAuth(): this
  /** Admits every authenticated caller, without a permission. */
  skipPermission(): this
  /** Middleware after the guards and before the body is read. */
  use(...middleware: readonly RequestHandler[]): this

  readonly list: DefaultAction<'list', Path, Path, Name, Actions>
  readonly show: DefaultAction<'show', `${Path}/:id`, Path, Name, Actions>
  readonly create: DefaultAction<'create', Path, Path, Name, Actions>
  /** Replaces one record. */
  readonly edit: DefaultAction<'edit', `${Path}/:id`, Path, Name, Actions>
  /** Changes some fields of one record. */
  readonly store: DefaultAction<'store', `${Path}/:id`, Path, Name, Actions>
  readonly delete: DefaultAction<'delete', `${Path}/:id`, Path, Name, Actions>
  readonly deleteMany: DefaultAction<'deleteMany', Path, Path, Name, Actions>

  /** Adds a custom action: its name, its path below that of the resource, and its handler or declaration. */
  readonly get: CustomAction<Path, Name, Actions>
  readonly post: CustomAction<Path, Name, Actions>
  readonly put: CustomAction<Path, Name, Actions>
  readonly patch: CustomAction<Path, Name, Actions>
  readonly del: CustomAction<Path, Name, Actions>
}

/**
 * Declares a resource by chained calls, in any order, instead of one object for `mountResource`.
 *
 * Each action adds its route at once, at the place where `resource` was called, whatever is mounted later. Everything
 * else applies to all of its routes until the server listens, a request reaches one of them, or they are listed
 * (`routesOf`, `permissionsOf`, a document); a call of the builder after that throws.
 *
 * @throws MisuseError as `mountResource` does: for an action at once, for the resource when it is first used;
 * `resource_sealed` afterwards.
 * @example
 * resource(admin, '/users').app('admin').tags('Users')
 *   .list((req) => paginate(users, RequestParam.page(req)))
 *   .show({
 *     input: z.object({ id: param.int() }),
 *     handler: (req, res, { id }) => findOrFail(users.find((user) => user.id === id)),
 *   })
 *   .post('export', '/export', exportUsers)
 */
export function resource<const Path extends string>(target: Target, path: Path): ResourceBuilder<Path> {
  checkTarget(target)
  checkWhenListening()
  const draft = new Draft(target, path)
  // The interface checks the types of each action; the builder itself has none.
  return builderOf(draft) as unknown as ResourceBuilder<Path>
}

type Call = (...args: never[]) => unknown

function builderOf(draft: Draft): Readonly<Record<string, Call>> {
  const set = (traits: GroupTraits & { readonly name?: string }): unknown => (draft.set(traits), builder)
  const act = (name: ActionName) => (action: LooseAction): unknown => (draft.act(name, action), builder)
  const add =
    (method: Method) => (name: string, path: string,
      action: LooseAction): unknown => (draft.add(method, name, path, action), builder)
  const builder: Readonly<Record<string, Call>> = {
    app: (app: string) => set({ app }),
    name: (name: string) => set({ name }),
    singular: (singular: string) => set({ singular }),
    tool: () => set({ tool: true }),
    guards: (...guards: readonly RequestHandler[]) => set({ guards }),
    summary: (summary: string) => set({ summary }),
    description: (description: string) => set({ description }),
    tags: (...tags: readonly string[]) => set({ tags }),
    doc: (...domains: readonly string[] | readonly [false]) =>
      set({ doc: domains[0] === false ? false : (domains as readonly string[]) }),
    meta: (key: string, value: unknown) => set({ meta: { [key]: value } }),
    skipAuth: () => set({ auth: false }),
    optionalAuth: () => set({ auth: 'optional' }),
    skipPermission: () => set({ can: false }),
    use: (...use: readonly RequestHandler[]) => set({ use }),
    list: act('list'),
    show: act('show'),
    create: act('create'),
    edit: act('edit'),
    store: act('store'),
    delete: act('delete'),
    deleteMany: act('deleteMany'),
    get: add('GET'),
    post: add('POST'),
    put: add('PUT'),
    patch: add('PATCH'),
    del: add('DELETE'),
  }
  return builder
}
