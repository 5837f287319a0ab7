import type { Application, Express } from 'express'
import { IncomingMessage, ServerResponse } from '../node-http.js'
import type { ServerClasses } from '../seam.js'

type Role = 'request' | 'response'

/** The classes made so far by their prototypes: a second server for the same app shares those of the first. */
const known = new WeakMap<object, unknown>()

/**
 * Returns classes whose prototypes are `app.request` and `app.response` themselves.
 *
 * Express sets the prototype of each request and response anew. Those of these classes have it already, so that the engine has nothing to
 * change; on Node.js 20 and 22 that change costs more than everything else Express does. An object that the user has put in the place of
 * Express's, or has frozen, stays as it is: requests are then of Node's class, and Express changes them as it always does.
 */
export function preparedClasses(app: Application): Required<ServerClasses> {
  return {
    IncomingMessage: install(app, 'request', IncomingMessage, () => class extends IncomingMessage {}),
    ServerResponse: install(app, 'response', ServerResponse, () => class extends ServerResponse {} as typeof ServerResponse),
  }
}

function install<Class extends { prototype: object }>(app: Application, role: Role, own: Class, create: () => Class): Class {
  const former = (app as Express)[role]
  const existing = known.get(former) as Class | undefined
  if (existing !== undefined) return existing
  if (!isReplaceable(app, former)) return own
  const made = create()
  const { prototype } = made
  replacePrototype(former, prototype)
  Object.assign(app, { [role]: prototype })
  known.set(prototype, made)
  return made
}

/** Checks for the object that Express has made for the app, of which everything can be moved to another one. */
function isReplaceable(app: Application, former: object): boolean {
  const properties = Object.getOwnPropertyDescriptors(former) as Readonly<Record<string, PropertyDescriptor>>
  return properties.app?.value === app && Object.isExtensible(former) && Object.values(properties).every(({ configurable }) => configurable)
}

/*
 * The `prototype` of a class cannot be assigned, so it takes the place of the former object: it receives all properties of it. The former
 * object becomes empty and inherits from it, for the sub-apps that were mounted earlier. `constructor` stays the one of Node's class.
 */
function replacePrototype(former: object, prototype: object): void {
  Reflect.deleteProperty(prototype, 'constructor')
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(former))
  Object.setPrototypeOf(prototype, Object.getPrototypeOf(former) as object)
  for (const key of Reflect.ownKeys(former)) Reflect.deleteProperty(former, key)
  Object.setPrototypeOf(former, prototype)
}
