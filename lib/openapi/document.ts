import { MisuseError } from '../errors.js'
import { shapeOf } from '../resource/path.js'
import { ENVELOPES } from './envelope.js'
import { fieldsOf } from './fields.js'
import { toOperation } from './operation.js'
import { operationIdsOf } from './operation-ids.js'
import { checkOptions, type OpenApiOptions } from './options.js'
import { compare } from './order.js'
import { documentedRoutes, isDocumentable, type DocumentedRoute } from './routes.js'
import { Schemas } from './schemas.js'
import { HEADERS, RESPONSES } from './shared-responses.js'
import { tagList } from './tags.js'
import { templatesOf } from './templates.js'
import type { Components, Info, JsonSchema, OpenApiDocument, Operation, SecurityScheme, Server } from './types.js'
import { reportUnsayable } from './unsayable.js'

/**
 * An OpenAPI 3.1 document of exactly the mounted routes, of one documentation domain if given; hand-written routes are not in it.
 *
 * The same routes give the same document to the byte, in whatever order they were mounted. What a schema means and JSON Schema
 * cannot say is left open, and a process warning `RESOURCERY_NOT_DOCUMENTED` names the route once.
 *
 * @throws MisuseError `openapi_options` for a missing title or version, `component_conflict` when two schemas share an id.
 * @example
 * const document = openapi(app, { title: 'Shop', version: '1.0.0', doc: 'shop', servers: ['https://api.example.com'] })
 */
export function openapi(appOrRouter: object, options: OpenApiOptions): OpenApiDocument {
  checkOptions(options)
  const all = documentedRoutes(appOrRouter, options.doc)
  const routes = all.filter((documented) => isDocumentable(documented.route.method))
  for (const { route } of all) reportUnsayable(route, isDocumentable(route.method) ? [] : [`the method ${route.method} has no place in it`])
  const schemas = noted(routes)
  const paths = pathsOf(routes, options.summarize, schemas)
  return {
    openapi: '3.1.1',
    info: infoOf(options),
    servers: (options.servers ?? ['/']).map(toServer),
    tags: tagList(routes),
    paths,
    components: componentsOf(paths, routes, schemas),
  }
}

function noted(routes: readonly DocumentedRoute[]): Schemas {
  const schemas = new Schemas()
  for (const { route } of routes) {
    const faults = [route.input, route.query].flatMap((schema) => (schema === undefined ? [] : schemas.note(schema, 'input')))
    reportUnsayable(route, [...faults, ...(route.output === undefined ? [] : schemas.note(route.output, 'output'))])
  }
  schemas.settle()
  return schemas
}

function pathsOf(routes: readonly DocumentedRoute[], summarize: OpenApiOptions['summarize'], schemas: Schemas): OpenApiDocument['paths'] {
  const templates = templatesOf(routes)
  const ids = operationIdsOf(routes)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const documented of routes) {
    const template = templates.get(shapeOf(documented.path))
    if (template === undefined) continue
    const plan = { ...documented, operationId: ids.get(documented) ?? documented.route.name, template, summarize, id: idSchemaOf(documented, routes, schemas) }
    ;(paths[template.text] ??= {})[documented.route.method.toLowerCase()] = toOperation(plan, schemas)
  }
  return paths
}

/** Returns the schema of one id: that of the `id` in the path of a record of the same resource. */
function idSchemaOf({ path, route }: DocumentedRoute, routes: readonly DocumentedRoute[], schemas: Schemas): JsonSchema {
  const { app, resource } = route
  const records = routes.filter((other) => other.path === `${path}/:id` && other.route.app === app && other.route.resource === resource)
  const declared = records.map(({ route: { input } }) =>
    input === undefined ? undefined : fieldsOf(schemas.of(input, 'input'), (schema) => schemas.resolve(schema)).get('id'))
  return declared.find((field) => field !== undefined)?.schema ?? { type: 'string' }
}

function infoOf({ title, version, description, contact, license }: OpenApiOptions): Info {
  return { title, version, ...(description && { description }), ...(contact && { contact }), ...(license && { license }) }
}

function toServer(server: string | Server): Server {
  return typeof server === 'string' ? { url: server } : server
}

/** What is referred to, and nothing else. */
function componentsOf(paths: OpenApiDocument['paths'], routes: readonly DocumentedRoute[], schemas: Schemas): Components {
  const own = schemas.components()
  const taken = Object.keys(ENVELOPES).find((name) => Object.hasOwn(own, name))
  if (taken !== undefined) throw new MisuseError('component_conflict', `The id \`${taken}\` is taken by a component of every document.`)
  const text = JSON.stringify(paths)
  const responses = used(RESPONSES, 'responses', text)
  const headers = used(HEADERS, 'headers', JSON.stringify(responses))
  const envelopes = used(ENVELOPES, 'schemas', text + JSON.stringify([responses, ENVELOPES]))
  const sorted = Object.entries({ ...own, ...envelopes }).sort(([one], [other]) => compare(one, other))
  return { schemas: Object.fromEntries(sorted), responses, headers, securitySchemes: securitySchemesOf(routes) }
}

function used<T>(components: Readonly<Record<string, T>>, kind: keyof Components, text: string): Record<string, T> {
  return Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)))
}

function securitySchemesOf(routes: readonly DocumentedRoute[]): Record<string, SecurityScheme> {
  const apps = new Set(routes.flatMap(({ route: { guardedBy } }) => guardedBy))
  return Object.fromEntries([...apps].sort(compare).map((app) =>
    [app, { type: 'http', scheme: 'bearer', description: `A token of the application \`${app}\`` }]))
}
