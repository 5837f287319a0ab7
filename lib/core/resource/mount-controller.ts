import { MisuseError } from '../base/errors.js'
import { OBJECT, type Form } from '../base/forms.js'
import { nameFromRoute } from '../routing/path.js'
import type { LooseHandler } from './loose-declaration.js'
import type { GroupTraits, Method } from './declaration.js'
import { checkForm } from './forms.js'
import { methodsOf, mountActions, type PlannedAction, type Target } from './mount.js'

interface ControllerOptions extends GroupTraits {
  /** The name in permission ids and listings. @default the last fixed part of the route */
  readonly name?: string | undefined
  /** The methods that each function answers. @default all five */
  readonly methods?: Readonly<Record<string, Method | readonly Method[]>> | undefined
}

const ANY_METHOD: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Mounts the functions of an object, or the methods of a class instance, at `{route}/{function}` and
 * `{route}/{function}/:id`; `list` answers `{route}` too. A function answers GET, POST, PUT, PATCH and DELETE unless
 * `methods` names some, so name POST for one that changes data.
 *
 * Only its own functions and the methods of its own class are mounted: nothing inherited, no accessor, no `_name`, no
 * `constructor`. With `app` each function has the permission `{app}.{name}.{function}`. The routes are not documented.
 *
 * @throws MisuseError `handler_missing` for a controller without functions, such as a class in place of its instance,
 * `methods_invalid` for a function that does not exist, and what `mountResource` throws.
 * @example
 * mountController(admin, '/jobs', new Jobs(), { app: 'admin', methods: { remove: ['POST', 'DELETE'] } })
 */
export function mountController(
  target: Target,
  route: string,
  controller: object,
  options: ControllerOptions = {},
): void {
  checkForm('mountController', 'controller', controller, CONTROLLER)
  const { methods = {}, name = nameFromRoute(route), ...traits } = options
  const functions = functionsOf(controller)
  if (functions.size === 0) throw nothingToMount(route, controller)
  const missing = Object.keys(methods).find((key) => !functions.has(key))
  if (missing !== undefined) {
    throw new MisuseError(
      'methods_invalid',
      `The controller at \`${route}\` has no function \`${missing}\`, which \`methods\` names.`,
    )
  }
  const actions = [...functions].map(
    ([key, handler]) => toAction(key, handler, Object.hasOwn(methods, key) ? methods[key] : ANY_METHOD),
  )
  mountActions(target, { group: { doc: false, ...traits, route, name }, actions, ownOptions: ['methods'] })
}

function nothingToMount(route: string, controller: object): MisuseError {
  const isClass = typeof controller === 'function'
  return new MisuseError(
    'handler_missing',
    `The controller at \`${route}\` has no functions to mount.${
      isClass ? ' A class has them in its instances: pass one, such as `new Jobs()`.' : ''
    }`,
  )
}

function toAction(
  name: string,
  handler: LooseHandler,
  methods: Method | readonly Method[] = ANY_METHOD,
): PlannedAction {
  const paths = [`/${name}`, `/${name}/:id`]
  return { name, methods: methodsOf(name, methods), paths: name === 'list' ? ['', ...paths] : paths, spec: { handler } }
}

const CONTROLLER: Form = { ...OBJECT, is: (value) => typeof value === 'function' || OBJECT.is(value) }

/** Functions with other names, which cannot be part of a permission id, are not mounted. */
const MOUNTABLE = /^[A-Za-z][A-Za-z0-9_-]*$/

function functionsOf(controller: object): Map<string, LooseHandler> {
  const functions = new Map<string, LooseHandler>()
  for (const owner of [...classOf(controller), controller]) {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== 'function' || key === 'constructor' || !MOUNTABLE.test(key)) continue
      const handler = value as LooseHandler
      if (handler.length > 3) {
        throw new MisuseError(
          'handler_arity',
          `\`${key}\` of a controller has ${handler.length} parameters: a handler is \`(req, res, args)\` and throws `
            + 'errors.',
        )
      }
      functions.set(key, (req, res, args) => handler.call(controller, req, res, args))
    }
  }
  return functions
}

/**
 * Returns the prototype of the object's own class, without those that the class inherits from; a plain object has none.
 */
function classOf(controller: object): object[] {
  const prototype = Reflect.getPrototypeOf(controller)
  return prototype !== null && ![Object.prototype, Function.prototype].includes(prototype)
      && Object.hasOwn(prototype, 'constructor')
    ? [prototype]
    : []
}
