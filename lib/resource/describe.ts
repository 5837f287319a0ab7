import { MisuseError } from '../errors.js'
import { guardsAmong } from '../routing/guards.js'
import type { MountedRoute } from '../routing/registry.js'
import type { AuthMarker } from '../types.js'
import { ACTIONS, isActionName } from './actions.js'
import type { Group, LooseSpec, ReadSpec, Traits } from './declaration.js'
import { capital, defaultSummary, wordsOf } from './summary.js'

/** A body has no meaning in these (RFC 9110 §9.3.1); a bulk DELETE may bring its ids in one. */
const BODILESS = new Set(['GET', 'HEAD'])

/** Group and action become the description of one route: the nearest wins, tags join, meta merges key by key. */
export function describe(group: Group, action: string, spec: ReadSpec, method: string, path: string): MountedRoute {
  const nearest = <K extends keyof Traits>(key: K): Traits[K] => spec[key] ?? group[key]
  const { app, name: resource = '', singular } = group
  const { auth, can } = markersOf(group, action, spec)
  const name = [app, group.name, action].filter((part) => part !== undefined).join('.')
  return Object.freeze({
    method, path, name, resource, action, app, auth, can, singular,
    ownPath: path.slice(group.route.length),
    ...accessOf(app, name, auth, can),
    ownGuards: guardsAmong([group.guards, group.use, spec.use].flat()),
    summary: nearest('summary') ?? defaultSummary(action, resource, singular),
    description: nearest('description'),
    tags: joined(group.tags, spec.tags),
    doc: nearest('doc') ?? app,
    deprecated: nearest('deprecated') ?? false,
    meta: Object.freeze({ ...group.meta, ...spec.meta }),
    status: spec.status ?? defaultStatus(action),
    message: spec.message ?? 'ok',
    input: spec.input,
    query: spec.query,
    output: spec.output,
    files: spec.files,
    produces: spec.produces,
    ...documentedOf(spec),
    readsBody: nearest('body') !== false && !BODILESS.has(method),
    examples: Object.freeze({ ...group.examples, ...spec.examples }),
    ...labelsOf(group, spec.summary, action),
  })
}

type Access = Pick<MountedRoute, 'permission' | 'permissions' | 'guardedBy'>

/** Returns what a route with an `app` asks for; one without learns it from the guards in front. */
function accessOf(app: string | undefined, name: string, auth: AuthMarker, can: boolean): Access {
  const permissions = Object.freeze(app !== undefined && can ? [name] : [])
  const guardedBy = Object.freeze(app !== undefined && auth !== false ? [app] : [])
  return { permission: permissions[0], permissions, guardedBy }
}

function documentedOf({ requestHeaders = {}, responseHeaders = {}, statuses = [] }: LooseSpec): Pick<MountedRoute, 'requestHeaders' | 'responseHeaders' | 'statuses'> {
  return {
    requestHeaders: Object.freeze({ ...requestHeaders }),
    responseHeaders: Object.freeze({ ...responseHeaders }),
    statuses: Object.freeze([...new Set(statuses)]),
  }
}

function labelsOf(
  { summary, name = '', singular }: Group,
  own: string | undefined,
  action: string,
): Pick<MountedRoute, 'resourceLabel' | 'actionLabel'> {
  return { resourceLabel: summary ?? capital(wordsOf(name)), actionLabel: own ?? defaultSummary(action, name, singular) }
}

function joined(ofGroup: readonly string[] = [], ofAction: readonly string[] = []): readonly string[] {
  return Object.freeze([...new Set([...ofGroup, ...ofAction])])
}

function defaultStatus(action: string): number {
  return isActionName(action) ? ACTIONS[action].status : 200
}

function markersOf(group: Group, action: string, spec: LooseSpec): { auth: AuthMarker; can: boolean } {
  const auth = spec.auth ?? group.auth ?? true
  if (auth !== false) return { auth, can: spec.can ?? group.can ?? true }
  const asked = spec.can ?? (spec.auth === undefined && group.can)
  if (asked === true) {
    throw new MisuseError('auth_can_conflict', `\`${action}\` says \`can: true\` where \`auth\` is false: a permission needs somebody who is signed in.`)
  }
  return { auth, can: false }
}
