import type { RequestHandler } from 'express'
import { MisuseError } from '../base/errors.js'
import { reservePlace } from '../express/stack.js'
import { checkedRoute, nameFromRoute } from '../routing/path.js'
import type { FileFields } from '../base/types.js'
import { checkAction, middlewareOf, toSpec } from './checks.js'
import type { ActionName, Mounted, MountedAction, NameFromRoute, Schema } from './mounted.js'
import type { Bare, Declaration, GroupTraits, Input, LooseAction, LooseCustom, LooseSpec, Method,
  Spec } from './declaration.js'
import type { Target } from './mount.js'
import { mountDeclaration } from './mount-resource.js'

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
  F extends FileFields | undefined = undefined,
>(
  action: Bare<Path> | Spec<Path, I, Q, O, F, Key extends 'store' ? true : false>,
) => ResourceBuilder<Route, Name, Actions & Readonly<Record<Key, MountedAction<Path, I, Q, O, F>>>>

/** Declares a custom action below the path of the resource. */
export type CustomAction<Route extends string, Name extends string, Actions> = <
  const Key extends string,
  const Path extends string,
  const I extends Input | undefined = undefined,
  const Q extends Input | undefined = undefined,
  O extends Schema | undefined = undefined,
  F extends FileFields | undefined = undefined,
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
  /** Middleware behind the guards and before the body is read. */
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

  readonly get: CustomAction<Path, Name, Actions>
  readonly post: CustomAction<Path, Name, Actions>
  readonly put: CustomAction<Path, Name, Actions>
  readonly patch: CustomAction<Path, Name, Actions>
  readonly del: CustomAction<Path, Name, Actions>
}

/**
 * Declares a resource by chained calls, in any order, instead of one object for `mountResource`.
 *
 * Its routes are mounted at the place where `resource` was called, whatever is mounted later. The first request, or the
 * first call that lists routes (`routesOf`, `permissionsOf`, a document), mounts them; a call of the builder after that
 * throws.
 *
 * @throws MisuseError the errors of `mountResource`: those of an action at once, those of the resource when it is
 * mounted; `resource_sealed` afterwards.
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
  const draft = new Draft(path)
  reservePlace(target, () => {
    mountDeclaration(target, draft.declaration())
    draft.seal()
  })
  // The interface checks the types of each action; the builder itself has none.
  return builderOf(draft) as unknown as ResourceBuilder<Path>
}

type Call = (...args: never[]) => unknown

function builderOf(draft: Draft): Readonly<Record<string, Call>> {
  const set = (traits: GroupTraits & { readonly name?: string }): unknown => (draft.set(traits), builder)
  const act = (name: ActionName) => (action: LooseAction): unknown => (draft.act(name, action), builder)
  const add = (method: Method) =>
  (
    name: string,
    path: string,
    action: LooseAction,
  ): unknown => (draft.add(method, name, path, action), builder)
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
      set(
        { doc: domains[0] === false ? false : (domains as readonly string[]) },
      ),
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

type Traits = GroupTraits & { readonly name?: string }

/** A declaration to which traits and actions are added in any order, until it is sealed. */
class Draft {
  readonly #route: string
  #traits: Traits = {}
  readonly #handlers = new Map<ActionName, LooseSpec>()
  readonly #custom = new Map<string, LooseCustom>()
  #sealed = false

  /** @throws MisuseError `route_invalid`. */
  constructor(route: string) {
    this.#route = checkedRoute(route)
  }

  get #name(): string {
    return this.#traits.name ?? nameFromRoute(this.#route) ?? ''
  }

  /** Replaces earlier values; tags, guards and middleware are joined, `meta` is merged by key. */
  set({ tags = [], meta, guards, use, ...traits }: Traits): void {
    this.#checkOpen()
    const { tags: known = [] } = this.#traits
    this.#traits = {
      ...this.#traits,
      ...traits,
      tags: [...known, ...tags],
      meta: { ...this.#traits.meta, ...meta },
      guards: [...middlewareOf(this.#traits.guards), ...middlewareOf(guards)],
      use: [...middlewareOf(this.#traits.use), ...middlewareOf(use)],
    }
  }

  act(name: ActionName, action: LooseAction): void {
    this.#handlers.set(name, this.#checked(name, action))
  }

  add(method: Method, name: string, route: string, action: LooseAction): void {
    this.#custom.set(name, { ...this.#checked(name, action), methods: method, route: checkedRoute(route) })
  }

  /** @throws MisuseError `name_taken`, and the errors of `mountResource` for an invalid action. */
  #checked(name: string, action: LooseAction): LooseSpec {
    this.#checkOpen()
    const spec = toSpec(action)
    if (this.#handlers.has(name as ActionName) || this.#custom.has(name)) {
      throw new MisuseError('name_taken', `The resource at \`${this.#route}\` has two actions called \`${name}\`.`)
    }
    checkAction(`\`${name}\` of the resource at \`${this.#route}\``, name, spec)
    return spec
  }

  #checkOpen(): void {
    if (!this.#sealed) return
    throw new MisuseError(
      'resource_sealed',
      `The resource \`${this.#name}\` can no longer be changed: a request, or a call that lists its routes, has `
        + 'mounted it.',
    )
  }

  /** Returns the declaration so far. */
  declaration(): Declaration {
    const handlers = Object.fromEntries(this.#handlers)
    return { ...this.#traits, route: this.#route, name: this.#name, handlers, custom: Object.fromEntries(this.#custom) }
  }

  /** Refuses all further changes. */
  seal(): void {
    this.#sealed = true
  }
}
