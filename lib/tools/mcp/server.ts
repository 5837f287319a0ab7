import { rootOf } from '../../core/index.js'
import { callTool, failure, mayCall, type Caller, type ToolResult } from './call.js'
import { isObject, RpcError, type Params, type RpcRequest } from './messages.js'
import { toolsOf } from './tools.js'

/** The revisions of the protocol that are spoken, the newest first. They have no batches, and structured results. */
export const REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18']

/** The name and version of a server, and the limit of a result. */
export interface ServerSettings {
  readonly name: string
  readonly version: string
  readonly maxResultBytes: number
}

type Method = (caller: Caller, params: Params, settings: ServerSettings) => object | Promise<object>

const METHODS: Readonly<Record<string, Method>> = {
  'initialize': (_caller, { protocolVersion }, { name, version }) => ({
    protocolVersion: REVISIONS.find((revision) => revision === protocolVersion) ?? REVISIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name, version },
  }),
  'ping': () => ({}),
  'tools/list': listTools,
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
): Promise<object> {
  const handler = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
  if (handler === undefined) throw new RpcError('method', `The method ${method.slice(0, 100)} is not supported`)
  return handler(caller, params, settings)
}

/** Lists the tools that the caller may use, all on one page. */
async function listTools(caller: Caller, { cursor }: Params): Promise<object> {
  if (cursor !== undefined) throw new RpcError('params', 'The cursor is not known: all tools are on one page')
  const tools = [...toolsOf(rootOf(caller.app)).values()]
  const allowed = await Promise.all(tools.map((tool) => mayCall(caller, tool)))
  return { tools: tools.filter((_tool, index) => allowed[index]).map(({ description }) => description) }
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
