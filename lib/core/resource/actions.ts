import { MisuseError } from '../base/errors.js'
import { guardsAmong } from '../routing/guards.js'
import type { MountedRoute } from '../routing/registry.js'
import type { AuthMarker } from '../base/types.js'
import type { ActionName } from './mounted.js'
import type { Group, LooseSpec, ReadSpec } from './loose-declaration.js'
import type { Traits } from './declaration.js'
import { singularOf } from './singular.js'

interface DefaultAction {
  readonly method: string
  /** Appended to the resource's route. */
  readonly path: '' | '/:id'
  /** The status of a success. */
  readonly status: number
  /** Begins the default summary, before the name of the resource. */
  readonly verb: string
  /** True for an action on one record. */
  readonly one: boolean
}

/** The seven default actions, in the order in which they are listed. */
export const ACTIONS = Object.freeze({
  list: { method: 'GET', path: '', status: 200, verb: 'List', one: false },
  show: { method: 'GET', path: '/:id', status: 200, verb: 'Show', one: true },
  create: { method: 'POST', path: '', status: 201, verb: 'Create', one: true },
  edit: { method: 'PUT', path: '/:id', status: 200, verb: 'Replace', one: true },
  store: { method: 'PATCH', path: '/:id', status: 200, verb: 'Change', one: true },
  delete: { method: 'DELETE', path: '/:id', status: 200, verb: 'Delete', one: true },
  deleteMany: { method: 'DELETE', path: '', status: 200, verb: 'Delete several', one: false },
} as const satisfies Readonly<Record<ActionName, DefaultAction>>)

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name)
}

/** The properties of a route that do not come from the declaration of its group or action. */
export type RouteFacts = Pick<MountedRoute, 'method' | 'path' | 'locatedBy'>

/** Methods whose body has no meaning (RFC 9110 §9.3.1); a bulk DELETE may send its ids in one. */
const BODILESS = new Set(['GET', 'HEAD'])

/**
 * Describes one route by its group and its action: a trait of the action replaces that of the group, tags are joined,
 * and meta is merged by key.
 */
export function describeRoute(
  group: Group,
  action: string,
  spec: ReadSpec,
  { method, path, locatedBy }: RouteFacts,
): MountedRoute {
  const traitOf = <K extends keyof Traits>(key: K): Traits[K] => spec[key] ?? group[key]
  const { app, name: resource = '', singular } = group
  const { auth, can } = markersOf(group, action, spec)
  const middleware = [group.guards, group.use, spec.use].flat()
  const name = [app, group.name, action].filter((part) => part !== undefined).join('.')
  return Object.freeze({
    method,
    path,
    name,
    resource,
    action,
    app,
    auth,
    can,
    singular,
    ownPath: path.slice(group.route.length),
    ...accessOf(app, name, auth, can),
    ownGuards: guardsAmong(middleware),
    ownMiddleware: middleware,
    summary: traitOf('summary') ?? defaultSummary(action, resource, singular),
    description: traitOf('description'),
    tags: joinLists(group.tags, spec.tags),
    doc: traitOf('doc') ?? app,
    deprecated: traitOf('deprecated') ?? false,
    meta: Object.freeze({ ...group.meta, ...spec.meta }),
    status: spec.status ?? defaultStatus(action),
    message: spec.message ?? 'ok',
    input: spec.input,
    query: spec.query,
    output: spec.output,
    files: spec.files,
    produces: spec.produces,
    requestHeaders: Object.freeze({ ...spec.requestHeaders }),
    responseHeaders: Object.freeze({ ...spec.responseHeaders }),
    statuses: Object.freeze([...new Set(spec.statuses)]),
    readsBody: traitOf('body') !== false && !BODILESS.has(method),
    examples: Object.freeze({ ...group.examples, ...spec.examples }),
    tool: toolOf(group, spec, method),
    ...extensionOf(spec),
    locatedBy,
    ...labelsOf(group, spec.summary, action),
  })
}

function extensionOf({ extension }: ReadSpec): Pick<MountedRoute, 'reading' | 'summed' | 'startCheck'> {
  const { reading, summed = [], startCheck } = extension?.parts ?? {}
  return { reading, summed, startCheck }
}

const TOOL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Returns the tool that a route is for agents; a resource offers its GET actions, apart from files. */
function toolOf(group: Group, { tool, files, produces }: ReadSpec, method: string): MountedRoute['tool'] {
  if (files !== undefined || produces !== undefined || !TOOL_METHODS.includes(method)) return undefined
  if (tool === undefined) return group.tool === true && method === 'GET' ? {} : undefined
  if (typeof tool === 'boolean') return tool ? {} : undefined
  return tool
}

type Access = Pick<MountedRoute, 'permission' | 'permissions' | 'guardedBy'>

/**
 * Returns the permissions of a route with an `app`; those of a route without one depend on the guards in front of it.
 */
function accessOf(app: string | undefined, name: string, auth: AuthMarker, can: boolean): Access {
  const permissions = Object.freeze(app !== undefined && can ? [name] : [])
  const guardedBy = Object.freeze(app !== undefined && auth !== false ? [app] : [])
  return { permission: permissions[0], permissions, guardedBy }
}

type Labels = Pick<MountedRoute, 'resourceLabel' | 'actionLabel'>

function labelsOf({ summary, name = '', singular }: Group, own: string | undefined, action: string): Labels {
  return {
    resourceLabel: summary ?? capital(wordsOf(name)),
    actionLabel: own ?? defaultSummary(action, name, singular),
  }
}

function joinLists(ofGroup: readonly string[] = [], ofAction: readonly string[] = []): readonly string[] {
  return Object.freeze([...new Set([...ofGroup, ...ofAction])])
}

function defaultStatus(action: string): number {
  return isActionName(action) ? ACTIONS[action].status : 200
}

function markersOf(group: Group, action: string, spec: LooseSpec): { auth: AuthMarker; can: boolean } {
  const auth = spec.auth ?? group.auth ?? true
  if (auth !== false) return { auth, can: spec.can ?? group.can ?? true }
  const can = spec.can ?? (spec.auth === undefined && group.can)
  if (can === true) {
    throw new MisuseError(
      'auth_can_conflict',
      `\`${action}\` has \`can: true\` and \`auth: false\`: a permission needs an authenticated caller.`,
    )
  }
  return { auth, can: false }
}

/**
 * Returns the summary of an action without one, for documents and role editors: `List users`, `Delete one user`,
 * `Users: export`.
 */
export function defaultSummary(action: string, resource: string, singular?: string): string {
  const many = wordsOf(resource)
  if (!isActionName(action)) return many === '' ? capital(wordsOf(action)) : `${capital(many)}: ${wordsOf(action)}`
  const { verb, one } = ACTIONS[action]
  return `${verb} ${one ? `one ${singular === undefined ? singularOf(many) : wordsOf(singular)}` : many}`
}

/** Returns a name as words: `blog.postTags` becomes `post tags`. */
export function wordsOf(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return last.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').toLowerCase()
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
