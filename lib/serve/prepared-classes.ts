import type { Express } from 'express'
import { IncomingMessage, ServerResponse } from '../node-http.js'

export interface PreparedClasses {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

type Role = 'request' | 'response'

/** The classes made so far, by their prototypes, so that a second server for the same app shares those of the first. */
const known = new WeakMap<object, unknown>()

/**
 * Classes whose prototypes are `app.request` and `app.response` themselves.
 *
 * Express sets the prototype of each request and response anew; of these it is there already, so the engine has nothing
 * to change. On Node 20 and 22 that change costs more than everything else Express does.
 */
export function preparedClasses(app: Express): PreparedClasses {
  return {
    IncomingMessage: install(app, 'request', () => class extends IncomingMessage {}),
    ServerResponse: install(app, 'response', () => class extends ServerResponse {}) as typeof ServerResponse,
  }
}

function install<Class extends { prototype: object }>(app: Express, role: Role, create: () => Class): Class {
  const former = app[role]
  const existing = known.get(former) as Class | undefined
  if (existing !== undefined) return existing
  const made = create()
  const { prototype } = made
  replacePrototype(former, prototype)
  Object.assign(app, { [role]: prototype })
  known.set(prototype, made)
  return made
}

/*
 * A class's `prototype` cannot be assigned, so the class's own one takes the place of Express's: it receives everything
 * that was put on the former one, which from now on is empty and inherits from it, for the sub-apps mounted earlier.
 */
function replacePrototype(former: object, prototype: object): void {
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(former))
  Object.setPrototypeOf(prototype, Object.getPrototypeOf(former) as object)
  for (const key of Reflect.ownKeys(former)) Reflect.deleteProperty(former, key)
  Object.setPrototypeOf(former, prototype)
}
