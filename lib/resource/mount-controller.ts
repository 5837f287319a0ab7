import { MisuseError } from '../errors.js'
import type { GroupTraits, LooseHandler, Method } from './declaration.js'
import { mountActions, type Target } from './mount.js'
import { nameFromRoute } from './path.js'
import { methodsOf } from './custom-actions.js'
import type { PlannedAction } from './plan.js'

export interface ControllerOptions extends GroupTraits {
  readonly name?: string | undefined
  /** Which methods a function answers. @default all five */
  readonly methods?: Readonly<Record<string, Method | readonly Method[]>> | undefined
}

const ANY_METHOD: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Reaches the functions of an object, or the methods of a class instance, as `{route}/{function}` and `{route}/{function}/:id`;
 * `list` answers `{route}` too.
 *
 * Only its own functions and the methods of its own class are reached: nothing inherited, no accessor, no `_name`, no
 * `constructor`. With `app` each function has the permission `{app}.{name}.{function}`. None of it is documented.
 *
 * @throws MisuseError `methods_invalid` for a function that does not exist, and what `mountResource` throws.
 * @example
 * mountController(admin, '/jobs', new Jobs(), { app: 'admin', methods: { remove: ['POST', 'DELETE'] } })
 */
export function mountController(target: Target, route: string, controller: object, options: ControllerOptions = {}): void {
  const { methods = {}, name = nameFromRoute(route), ...traits } = options
  const functions = functionsOf(controller)
  const missing = Object.keys(methods).find((key) => !functions.has(key))
  if (missing !== undefined) throw new MisuseError('methods_invalid', `The controller at \`${route}\` has no function \`${missing}\` whose methods could be narrowed.`)
  const actions = [...functions].map(([key, handler]) => toAction(key, handler, Object.hasOwn(methods, key) ? methods[key] : ANY_METHOD))
  mountActions(target, { doc: false, ...traits, route, name }, actions, ['methods'])
}

function toAction(name: string, handler: LooseHandler, methods: Method | readonly Method[] = ANY_METHOD): PlannedAction {
  const paths = [`/${name}`, `/${name}/:id`]
  return { name, methods: methodsOf(name, methods), paths: name === 'list' ? ['', ...paths] : paths, spec: { handler } }
}

/** A function whose name could not be a permission id is not reached. */
const REACHABLE = /^[A-Za-z][A-Za-z0-9_-]*$/

function functionsOf(controller: object): Map<string, LooseHandler> {
  const functions = new Map<string, LooseHandler>()
  for (const owner of [...classOf(controller), controller]) {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== 'function' || key === 'constructor' || !REACHABLE.test(key)) continue
      const handler = value as LooseHandler
      if (handler.length > 3) throw new MisuseError('handler_arity', `\`${key}\` of a controller takes ${handler.length} parameters; a handler is \`(req, res, args)\`.`)
      functions.set(key, (req, res, args) => handler.call(controller, req, res, args))
    }
  }
  return functions
}

/** The prototype of the object's own class; a plain object has none, and what was inherited is not looked at. */
function classOf(controller: object): object[] {
  const prototype = Object.getPrototypeOf(controller) as object | null
  return prototype !== null && prototype !== Object.prototype && Object.hasOwn(prototype, 'constructor') ? [prototype] : []
}
