import type { Application, Express } from 'express'
import { IncomingMessage, ServerResponse } from '../base/node-http.js'

export interface ServerClasses {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

type Role = 'request' | 'response'

/** The classes by their prototypes, so that several servers of one app share them. */
const classesByPrototype = new WeakMap<object, unknown>()

/**
 * Returns classes whose prototypes are `app.request` and `app.response`.
 *
 * Express sets the prototype of each request and response. Instances of these classes have it already, so the engine
 * changes nothing; on Node.js 20 and 22 that change costs more than everything else Express does. An object by which
 * the application has replaced Express's, or which it has frozen, is kept: requests are then of Node's class, and
 * Express changes them as usual.
 */
export function prepareClasses(app: Express): ServerClasses {
  return {
    IncomingMessage: install(app, 'request', IncomingMessage, () => class extends IncomingMessage {}),
    ServerResponse: install(
      app,
      'response',
      ServerResponse,
      () => class extends ServerResponse {} as typeof ServerResponse,
    ),
  }
}

function install<Class extends { prototype: object }>(
  app: Express,
  role: Role,
  own: Class,
  create: () => Class,
): Class {
  const former = app[role]
  const existing = classesByPrototype.get(former) as Class | undefined
  if (existing !== undefined) return existing
  if (!isReplaceable(app, former)) return own
  const made = create()
  const { prototype } = made
  replacePrototype(former, prototype)
  Object.assign(app, { [role]: prototype })
  classesByPrototype.set(prototype, made)
  return made
}

/** Returns true for the object that Express made for the app, if all its properties can be moved to another object. */
function isReplaceable(app: Application, former: object): boolean {
  const properties: Readonly<Record<string, PropertyDescriptor>> = Object.getOwnPropertyDescriptors(former)
  return properties.app?.value === app
    && Object.isExtensible(former)
    && Object.values(properties).every(({ configurable }) => configurable)
}

/*
 * The `prototype` of a class cannot be assigned, so it replaces the former object and receives all its properties. The
 * former object becomes empty and inherits from it, for sub-apps that were mounted earlier. `constructor` is inherited
 * from Node's class.
 */
function replacePrototype(former: object, prototype: object): void {
  Reflect.deleteProperty(prototype, 'constructor')
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(former))
  Object.setPrototypeOf(prototype, Reflect.getPrototypeOf(former))
  for (const key of Reflect.ownKeys(former)) Reflect.deleteProperty(former, key)
  Object.setPrototypeOf(former, prototype)
}
