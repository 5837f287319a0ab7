import { MisuseError } from '../../errors.js'
import type { ActionName } from '../actions.js'
import { checkAction, middlewareOf, toSpec } from '../checks.js'
import type { Declaration, GroupTraits, LooseAction, LooseCustom, LooseSpec, Method } from '../declaration.js'
import { checkedRoute, nameFromRoute } from '../path.js'

type Traits = GroupTraits & { readonly name?: string }

/** A declaration that is still being written: in any order, until it is sealed. */
export class Draft {
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

  /** Later words count; tags, guards and middleware join, `meta` merges key by key. */
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

  /** @throws MisuseError `name_taken`, and what is wrong with the action as `mountResource` would say. */
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
    throw new MisuseError('resource_sealed', `The resource \`${this.#name}\` is in use: it was sealed by a request, or by somebody who looked at its routes.`)
  }

  /** What has been declared. */
  declaration(): Declaration {
    const handlers = Object.fromEntries(this.#handlers)
    return { ...this.#traits, route: this.#route, name: this.#name, handlers, custom: Object.fromEntries(this.#custom) }
  }

  /** From now on nothing can be added. */
  seal(): void {
    this.#sealed = true
  }
}
