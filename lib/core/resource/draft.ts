import type { RequestHandler } from 'express'
import { MisuseError } from '../base/errors.js'
import { Place } from '../express/place.js'
import { addRoute, type AddedRoute } from '../express/stack.js'
import { bySpecificity, checkRoute, nameFromRoute } from '../routing/path.js'
import { register, registerLater } from '../routing/registry.js'
import { isActionName } from './actions.js'
import { checkAction, middlewareOf, toSpec } from './checks.js'
import type { ActionName } from './mounted.js'
import type { Declaration, LooseAction, LooseCustom, LooseSpec } from './loose-declaration.js'
import type { GroupTraits, Method } from './declaration.js'
import { checkArguments, planActions, type PlannedAction, type Target } from './mount.js'
import { planGroup } from './mount-resource.js'
import { pipeline } from './pipeline.js'

type Traits = GroupTraits & { readonly name?: string }

/** A declaration to which traits and actions are added in any order, until it is sealed. */
export class Draft {
  readonly #target: Target
  readonly #place: Place
  readonly #route: string
  #traits: Traits = {}
  readonly #handlers = new Map<ActionName, LooseSpec>()
  readonly #custom = new Map<string, LooseCustom>()
  readonly #added = new Map<string, AddedRoute>()
  /** The handlers of the sealed declaration, by `keyOf`. */
  #pipelines: ReadonlyMap<string, RequestHandler> | undefined

  /** @throws MisuseError `route_invalid`. */
  constructor(target: Target, route: string) {
    this.#target = target
    this.#route = checkRoute(route)
    this.#place = new Place(target)
  }

  get #name(): string {
    return this.#traits.name ?? nameFromRoute(this.#route) ?? ''
  }

  /** Replaces earlier values; tags, guards and middleware are joined, `meta` is merged by key. */
  set({ tags = [], meta, guards, use, ...traits }: Traits): void {
    this.#checkOpen()
    const { tags: earlier = [] } = this.#traits
    this.#traits = {
      ...this.#traits,
      ...traits,
      tags: [...earlier, ...tags],
      meta: { ...this.#traits.meta, ...meta },
      guards: [...middlewareOf(this.#traits.guards), ...middlewareOf(guards)],
      use: [...middlewareOf(this.#traits.use), ...middlewareOf(use)],
    }
  }

  act(name: ActionName, action: LooseAction): void {
    this.#handlers.set(name, this.#checked(name, action))
    this.#addRoutes(name)
  }

  add(method: Method, name: string, route: string, action: LooseAction): void {
    this.#custom.set(name, { ...this.#checked(name, action), methods: method, route: checkRoute(route) })
    this.#addRoutes(name)
  }

  /** @throws MisuseError `name_taken`, and the errors of `mountResource` for an invalid action. */
  #checked(name: string, action: LooseAction): LooseSpec {
    this.#checkOpen()
    const spec = toSpec(action)
    if ((isActionName(name) && this.#handlers.has(name)) || this.#custom.has(name)) {
      throw new MisuseError('name_taken', `The resource at \`${this.#route}\` has two actions called \`${name}\`.`)
    }
    checkAction(`\`${name}\` of the resource at \`${this.#route}\``, name, spec)
    return spec
  }

  #checkOpen(): void {
    if (this.#pipelines === undefined) return
    throw new MisuseError(
      'resource_sealed',
      `The resource \`${this.#name}\` can no longer be changed: the start of a server, a request, or a call that `
        + 'lists its routes has sealed it.',
    )
  }

  #declaration(): Declaration {
    const handlers = Object.fromEntries(this.#handlers)
    return { ...this.#traits, route: this.#route, name: this.#name, handlers, custom: Object.fromEntries(this.#custom) }
  }

  /** Adds the routes of an action to Express, each where the specificity of its path puts it among the others. */
  #addRoutes(name: string): void {
    const { actions } = planGroup(this.#declaration())
    const sorted = actions.flatMap((action) => this.#pathsOf(action)).toSorted(bySpecificity)
    for (const action of actions.filter((added) => added.name === name)) {
      for (const path of this.#pathsOf(action)) {
        checkArguments(`\`${name}\` of the resource \`${this.#name}\``, path)
        const { route, answer } = this.#added.get(path) ?? this.#addRoute(path, sorted)
        registerLater(route, () => void this.#seal())
        for (const method of action.methods) answer(method, this.#handlerOf(keyOf(name, method, path)))
      }
    }
  }

  #pathsOf({ paths }: PlannedAction): string[] {
    return paths.map((path) => `${this.#route}${path}` || '/')
  }

  #addRoute(path: string, sorted: readonly string[]): AddedRoute {
    const following = sorted.slice(sorted.lastIndexOf(path) + 1)
    const others = following.flatMap((action) => this.#added.get(action)?.layer ?? [])
    const added = this.#place.add(() => addRoute(this.#target, path), others)
    this.#added.set(path, added)
    return added
  }

  #handlerOf(key: string): RequestHandler {
    let handler: RequestHandler | undefined
    return (req, res, next) => {
      handler ??= this.#seal().get(key)
      return handler?.(req, res, next)
    }
  }

  /**
   * Plans and registers all routes as `mountResource` does, and refuses all further changes.
   *
   * @throws MisuseError the errors of `mountResource`; the draft stays open then.
   */
  #seal(): ReadonlyMap<string, RequestHandler> {
    if (this.#pipelines !== undefined) return this.#pipelines
    const plans = planActions(this.#target, planGroup(this.#declaration()))
    this.#pipelines = new Map(
      plans.map((plan) => [keyOf(plan.route.action, plan.route.method, plan.route.path), pipeline(plan)]),
    )
    for (const { route } of plans) {
      const added = this.#added.get(route.path)
      if (added !== undefined) register(added.route, route)
    }
    return this.#pipelines
  }
}

/** Returns a string that is the same for the same action, method and path only. */
function keyOf(action: string, method: string, path: string): string {
  return `${action} ${method} ${path}`
}
