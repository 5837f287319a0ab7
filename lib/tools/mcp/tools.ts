import type { Application } from 'express'
import { memoizeWhile, MisuseError, TOOL_NAME } from '../../core/index.js'
import { Models } from '../openapi/models.js'
import { operationIdsOf } from '../openapi/operation-ids.js'
import { operationPlans } from '../openapi/request.js'
import { areSameRoutes, documentedRoutes, listedRoutes, type DocumentedRoute,
  type ListedRoute } from '../openapi/routes.js'
import type { JsonSchema } from '../openapi/types.js'
import { schemasOf, type ToolSchemas } from './schema.js'

/** A route that is offered to agents. */
export interface Tool extends Pick<ToolSchemas, 'query' | 'headers'> {
  readonly route: DocumentedRoute
  readonly description: ToolDescription
}

/** A tool as `tools/list` describes it. */
export interface ToolDescription {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations: ToolAnnotations
}

interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

interface Known {
  readonly listed: readonly ListedRoute[]
  readonly tools: ReadonlyMap<string, Tool>
}

/**
 * Returns the tools of an app by name, in the order of a document. A route that no document shows is not offered.
 *
 * @throws MisuseError `mcp_tool_name` where two tools have the same name, or a name that providers of models refuse.
 */
export function toolsOf(app: Application): ReadonlyMap<string, Tool> {
  return listedTools(app).tools
}

const listedTools = memoizeWhile(
  ({ listed }: Known, app: Application) => areSameRoutes(listed, listedRoutes(app)),
  (app) => {
    const listed = listedRoutes(app)
    return { listed, tools: makeTools(listed) }
  },
)

function makeTools(listed: readonly ListedRoute[]): Map<string, Tool> {
  const documented = documentedRoutes(listed)
  const ids = operationIdsOf(documented, 'camel')
  const offered = documented.filter(({ route }) => route.tool !== undefined)
  const models = new Models(offered)
  const plan = operationPlans(documented, models)
  const tools = new Map<string, Tool>()
  for (const route of offered) {
    const name = route.route.tool?.name ?? ids.get(route) ?? route.route.name
    if (!TOOL_NAME.test(name)) {
      throw misuse(
        `The tool \`${name}\` of ${placeOf(route)} needs a name that begins with a letter and has at most 64 `
          + 'letters, digits, `_` and `-`: give it one with `tool: { name }`.',
      )
    }
    const other = tools.get(name)
    if (other !== undefined) {
      throw misuse(`The tool \`${name}\` is ${placeOf(other.route)} and ${placeOf(route)}: name one of them otherwise `
        + 'with `tool: { name }`.')
    }
    const { input, output, query, headers } = schemasOf(plan(route))
    tools.set(name, { route, query, headers, description: describe(name, route, input, output) })
  }
  return tools
}

function placeOf({ path, route }: DocumentedRoute): string {
  return `${route.method} ${path}`
}

function misuse(message: string): MisuseError {
  return new MisuseError('mcp_tool_name', message)
}

function describe(
  name: string,
  { route }: DocumentedRoute,
  inputSchema: JsonSchema,
  outputSchema: JsonSchema | undefined,
): ToolDescription {
  return {
    name,
    title: route.summary,
    description: route.tool?.description ?? route.description ?? route.summary,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: annotationsOf(route.method, route.action),
  }
}

/** The actions by POST that only add; of others nothing is known. */
const ADDING = ['create', 'createMany']

function annotationsOf(method: string, action: string): ToolAnnotations {
  const readOnlyHint = method === 'GET'
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && !ADDING.includes(action),
    idempotentHint: ['GET', 'PUT', 'DELETE'].includes(method),
    // A tool is about the data of this app.
    openWorldHint: false,
  }
}
