import { samplePathOf, type InnerRequest, type MountedRoute } from '../../core/index.js'
import { resourceOf } from '../openapi/models.js'
import { routeAt, send, type Caller, type Passed } from './call.js'
import type { Tool } from './tools.js'

/** Statuses of middleware in front of the guards that found nothing for the sample: then the call decides. */
const UNDECIDED = [400, 404, 422]

/**
 * Returns the tools that the caller may use. The guards decide, on requests that end before anything of a route runs;
 * a tool that another handler would reply for is not offered.
 *
 * One request decides for all tools of a resource after the same middleware. If it is refused, the next one of them is
 * asked.
 */
export async function allowedTools(caller: Caller, tools: readonly Tool[]): Promise<ReadonlySet<Tool>> {
  const groups = new Map<string, Sample[]>()
  const numbers = new Map<object, number>()
  const numberOf = (layer: object): number => {
    if (!numbers.has(layer)) numbers.set(layer, numbers.size)
    return numbers.get(layer) ?? 0
  }
  for (const tool of tools) {
    const sample = sampleOf(caller, tool)
    if (sample === undefined) continue
    const { auth, guardedBy } = sample.route
    // A public route is asked for itself.
    const apart = auth === true ? '' : tool.description.name
    const key = JSON.stringify([resourceOf(tool.route), guardedBy, apart, sample.passed.map(numberOf)])
    groups.set(key, [...groups.get(key) ?? [], sample])
  }
  return new Set((await Promise.all([...groups.values()].map((group) => allowedIn(caller, group)))).flat())
}

/** Returns the tools of a group that the caller may use, those that read asked first: most callers may read. */
async function allowedIn(caller: Caller, group: readonly Sample[]): Promise<readonly Tool[]> {
  const isWrite = ({ route }: Sample): number => Number(route.method !== 'GET')
  const allowed: Tool[] = []
  let left = [...group].sort((one, other) => isWrite(one) - isWrite(other))
  for (let [first, ...rest] = left; first !== undefined; [first, ...rest] = left) {
    const others = { asked: rest.map(({ route }) => route), granted: new Set<MountedRoute>() }
    const status = await accessTo(caller, first, others)
    // The credentials are refused, whatever the tool.
    if (status === 401) break
    const isGranted = status === 204
    if (isGranted || UNDECIDED.includes(status)) allowed.push(first.tool)
    if (isGranted) allowed.push(...rest.filter(({ route }) => others.granted.has(route)).map(({ tool }) => tool))
    left = isGranted ? [] : rest
  }
  return allowed
}

/** A path for a tool, and what a request for it reaches. */
interface Sample {
  readonly tool: Tool
  readonly target: string
  readonly route: MountedRoute
  /** The middleware in front of the route. */
  readonly passed: readonly Passed[]
}

/** Returns a path for a tool, `undefined` if another handler may reply to a request for it. */
function sampleOf(caller: Caller, tool: Tool): Sample | undefined {
  const target = samplePathOf(tool.route.path)
  const passed: Passed[] = []
  const route = routeAt(caller, tool, target, passed)
  return route && { tool, target, route, passed }
}

/** Returns the status with which the guards end a request for a tool. */
async function accessTo(
  caller: Caller,
  { target, route }: Sample,
  others?: InnerRequest['others'],
): Promise<number> {
  const inner = { route, accessOnly: true, ...(others && { others }) }
  const { message } = await send(caller, { method: route.method, path: target, headers: {}, body: null, inner })
  return message.statusCode ?? 500
}

/**
 * Returns true if no tool is public and the guards of every application refuse the caller's credentials. One tool of
 * each set of guards is asked.
 */
export async function isStranger(caller: Caller, tools: readonly Tool[]): Promise<boolean> {
  const isPublic = ({ route: { route: { auth, guardedBy } } }: Tool): boolean => auth !== true || guardedBy.length === 0
  if (tools.length === 0 || tools.some(isPublic)) return false
  const apart = new Map(tools.map((tool) => [tool.route.route.guardedBy.join(), tool]))
  for (const tool of apart.values()) {
    const sample = sampleOf(caller, tool)
    if (sample === undefined || await accessTo(caller, sample) !== 401) return false
  }
  return true
}
