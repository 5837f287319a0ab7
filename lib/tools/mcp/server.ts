import { isObject, rootOf } from '../../core/index.js'
import { allowedTools, isStranger } from './allowed.js'
import { callTool, failure, type Caller, type ToolResult } from './call.js'
import { RpcError, type Params, type RpcRequest } from './messages.js'
import { INITIALIZED, REVISIONS } from './revision.js'
import { toolsOf, type ToolDescription } from './tools.js'

/** The name and version of a server, and the limit of a result. */
export interface ServerSettings {
  readonly name: string
  readonly version: string
  readonly maxResultBytes: number
  /** True if `tools/list` has the schemas of results. */
  readonly outputSchemas: boolean
}

type Method = (caller: Caller, params: Params, settings: ServerSettings) => object | Promise<object>

const CAPABILITIES = { tools: {} }

/** The methods of revisions that begin with `initialize`. */
const INITIALIZED_METHODS: Readonly<Record<string, Method>> = {
  'initialize': (_caller, { protocolVersion }, { name, version }) => ({
    protocolVersion: INITIALIZED.find((revision) => revision === protocolVersion) ?? INITIALIZED[0],
    capabilities: CAPABILITIES,
    serverInfo: { name, version },
  }),
  'ping': () => ({}),
  'tools/list': listTools,
  'tools/call': useTool,
}

/** The milliseconds for which a client may keep a result that depends on its credentials. */
const KEPT = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The methods of revision 2026-07-28. */
const STATELESS_METHODS: Readonly<Record<string, Method>> = {
  'server/discover': () => ({ supportedVersions: REVISIONS, capabilities: CAPABILITIES, ...KEPT }),
  'tools/list': async (...call) => ({ ...await listTools(...call), ...KEPT }),
  'tools/call': useTool,
}

/**
 * Carries a request of the protocol out, on behalf of its caller.
 *
 * @throws RpcError for an unknown method, parameters that are not valid, an unknown tool.
 */
export async function answer(
  caller: Caller,
  { method, params }: RpcRequest,
  settings: ServerSettings,
  isStateless: boolean,
): Promise<object> {
  const methods = isStateless ? STATELESS_METHODS : INITIALIZED_METHODS
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (handler === undefined) {
    throw new RpcError('method', `The method ${method.slice(0, 100)} is not supported`, isStateless ? 404 : 200)
  }
  const result = await handler(caller, params, settings)
  if (!isStateless) return result
  const { name, version } = settings
  return { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': { name, version } } }
}

/** Returns true if a caller must sign in first: its credentials are missing or stale, and no tool is public. */
export function needsSignIn(caller: Caller): Promise<boolean> {
  return isStranger(caller, [...toolsOf(rootOf(caller.app)).values()])
}

/** The number of tools on a page, and of those whose guards are asked at a time. */
const PAGE = 100
const AT_ONCE = 50

/** Lists the tools that the caller may use, from the one after the cursor, which is the name of a tool. */
async function listTools(caller: Caller, { cursor }: Params, { outputSchemas }: ServerSettings): Promise<object> {
  const tools = [...toolsOf(rootOf(caller.app)).values()]
  const described: ToolDescription[] = []
  let next = cursor === undefined ? 0 : tools.findIndex(({ description }) => cursorOf(description) === cursor) + 1
  if (cursor !== undefined && next === 0) throw new RpcError('params', 'The cursor is not known')
  while (next < tools.length && described.length < PAGE) {
    const batch = tools.slice(next, next + Math.min(AT_ONCE, PAGE - described.length))
    const allowed = await allowedTools(caller, batch)
    described.push(...batch.flatMap((tool) => (allowed.has(tool) ? [tool.description] : [])))
    next += batch.length
  }
  const last = tools[next - 1]
  return {
    tools: outputSchemas ? described : described.map(({ outputSchema: _left, ...description }) => description),
    ...(next < tools.length && last !== undefined && { nextCursor: cursorOf(last.description) }),
  }
}

function cursorOf({ name }: ToolDescription): string {
  return Buffer.from(name).toString('base64url')
}

async function useTool(
  caller: Caller,
  { name, arguments: args = {} }: Params,
  { maxResultBytes }: ServerSettings,
): Promise<ToolResult> {
  const tool = typeof name === 'string' ? toolsOf(rootOf(caller.app)).get(name) : undefined
  if (tool === undefined) throw new RpcError('params', `There is no tool \`${String(name).slice(0, 128)}\``)
  if (!isObject(args)) return failure('The arguments must be an object.')
  return callTool(caller, tool, args, maxResultBytes)
}
