import { encodingFinder, listing, memoizeWhile, MisuseError, schemeFinder, show, warnOnce, type Encoding,
  type EncodingFinder, type MountedRoute } from '../../core/index.js'
import { toComponents, type SharedComponents } from './components.js'
import { Models } from './models.js'
import { nounOf, toPascalCase } from './names.js'
import { operationBody, tagList, toOperation, withReadableRequest, type OperationBody } from './operation.js'
import { operationIdsOf } from './operation-ids.js'
import { checkOptions, type OpenApiOptions } from './options.js'
import { referencesIn } from './references.js'
import { repliesByEncoding, withTitles } from './replies.js'
import { operationPlans } from './request.js'
import { areSameRoutes, belongsTo, documentedRoutes, isDocumentable, listedRoutes, type DocumentedRoute,
  type ListedRoute } from './routes.js'
import { operationSecurity, securitySchemesOf, type OperationSecurity } from './security.js'
import type { Draft, Info, OpenApiDocument, Operation, Server } from './types.js'

/**
 * Makes an OpenAPI 3.1 document of exactly the mounted routes, of one documentation domain if given; undeclared
 * handlers are not in it.
 *
 * The same routes give the same document, byte for byte, in any order of mounting. Models are named after their
 * resource (`Post`, `PostCreate`, `PostReplace`, `PostUpdate`), or by `.meta({ id })`. A type that JSON Schema cannot
 * express is left open, and a process warning `RESOURCERY_NOT_DOCUMENTED` names the route once.
 *
 * @throws MisuseError `openapi_options` for a missing title or version, `openapi_operation_id` where `operationIds`
 * returns the same twice, `component_conflict` when two schemas share an id.
 * @example
 * const document = openapi(app, { title: 'Shop', version: '1.0.0', doc: 'shop', servers: ['https://api.example.com'] })
 */
export function openapi(appOrRouter: object, options: OpenApiOptions): OpenApiDocument {
  checkOptions(options)
  const catalogue = catalogueOf(appOrRouter)
  reportUnknownDomains(appOrRouter, catalogue, options)
  const { components } = catalogue
  const shown = catalogue.operations.filter(({ documented: { route } }) => belongsTo(route, options.doc))
  const used = new Set(shown.flatMap(({ references }) => references))
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: infoOf(options),
    servers: (options.servers ?? ['/']).map(toServer),
    tags: tagList(shown.map(({ documented }) => documented)),
    paths: pathsOf(catalogue, shown, options),
    components: {
      ...components.publish(components.usedBy(used)),
      securitySchemes: securitySchemesOf(shown, options.securitySchemes),
    },
  }
  return options.transform === undefined ? document : transformDocument(document, options.transform)
}

function pathsOf(
  { operations }: Catalogue,
  shown: readonly Catalogued[],
  { operationIds = 'camel', summarize }: OpenApiOptions,
): OpenApiDocument['paths'] {
  const ids = operationIdsOf(operations.map(({ documented }) => documented), operationIds)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { documented, security, body } of shown) {
    const { template: { text }, route } = documented
    const id = ids.get(documented) ?? route.name
    ;(paths[text] ??= {})[route.method.toLowerCase()] = toOperation(documented, id, { security, ...body }, summarize)
  }
  return paths
}

/** Passes a copy to the function, which may change it: parts of a document belong to other documents too. */
function transformDocument(document: OpenApiDocument,
  transform: NonNullable<OpenApiOptions['transform']>): OpenApiDocument
{
  // Unlike `structuredClone`, this parts what operations have in common.
  const copy = JSON.parse(JSON.stringify(document)) as Draft<OpenApiDocument>
  const result = transform(copy) ?? copy
  if (typeof result === 'object' && 'openapi' in result) return result
  throw new MisuseError('openapi_options',
    `\`transform\` of an OpenAPI document returned ${show(result)}, not a document.`)
}

/** The parts of all documents of an app. */
interface Catalogue {
  readonly listed: readonly ListedRoute[]
  /** The envelopes of all routes, in their order. */
  readonly encodings: readonly (Encoding | undefined)[]
  readonly operations: readonly Catalogued[]
  readonly components: SharedComponents
}

interface Catalogued extends OperationSecurity {
  readonly documented: DocumentedRoute
  readonly body: OperationBody
  readonly references: readonly string[]
}

/** Returns the catalogue of an app, which is made once, and again when the routes or their envelopes have changed. */
const catalogueOf = memoizeWhile(isCurrent, makeCatalogue)

function isCurrent({ listed, encodings }: Catalogue, appOrRouter: object): boolean {
  const now = listedRoutes(appOrRouter)
  if (!areSameRoutes(listed, now)) return false
  const find = findEncoding(appOrRouter)
  return now.every(({ path, route }, index) => encodings[index] === find(route, path))
}

function findEncoding(appOrRouter: object): EncodingFinder {
  return encodingFinder(appOrRouter, listing(appOrRouter))
}

function makeCatalogue(appOrRouter: object): Catalogue {
  const listed = listedRoutes(appOrRouter)
  const find = findEncoding(appOrRouter)
  const routes = documentedRoutes(listed)
  const models = new Models(routes)
  for (const { route } of listed) {
    if (route.doc !== false && !isDocumentable(route.method)) {
      reportOmissions(route, [`the method ${route.method} has no place in it`])
    }
  }
  for (const { route } of routes) reportOmissions(route, models.omissionsOf(route))
  const plans = operationPlans(routes, models)
  const replies = repliesByEncoding(routes.map(({ path, route }) => find(route, path)))
  const bodies = routes.map((documented) => {
    const body = operationBody(plans(documented), replies.of(find(documented.route, documented.path)))
    return {
      documented,
      body,
      name: nounOf(documented.route).one + toPascalCase(documented.route.action),
      references: referencesIn(body),
    }
  })
  const components = toComponents(models, bodies, replies.components)
  const securityOf = operationSecurity(schemeFinder(appOrRouter, listing(appOrRouter)))
  const operations = bodies.map(({ documented, body, references }) => ({
    documented,
    ...securityOf(documented),
    body: withTitles(components.publish(withReadableRequest(body))),
    references: references.map(({ reference }) => reference),
  }))
  return { listed, encodings: listed.map(({ path, route }) => find(route, path)), operations, components }
}

const NOT_DOCUMENTED = 'RESOURCERY_NOT_DOCUMENTED'

/** Warns once for a route of types that a document cannot express. */
function reportOmissions(route: MountedRoute, omissions: readonly string[]): void {
  if (omissions.length === 0) return
  warnOnce(
    route,
    `The document omits parts of ${route.name} (${route.method} ${route.path}): ${omissions.join('; ')}.`,
    {
      code: NOT_DOCUMENTED,
      key: NOT_DOCUMENTED,
      detail: 'Give the schema a `.meta({ type: … })`, or use one that JSON Schema can express.',
    },
  )
}

/** Warns once of a documentation domain that no route has; before the first route is mounted, none is known. */
function reportUnknownDomains(appOrRouter: object, { listed }: Catalogue, { doc }: OpenApiOptions): void {
  if (doc === undefined || listed.length === 0) return
  const known = new Set(listed.flatMap(({ route }) => [route.doc, route.app].flat()))
  const names = [...known].filter((name) => typeof name === 'string')
  const choice = names.length === 0 ? 'no route has one' : `there are ${names.join(', ')}`
  for (const domain of [doc].flat()) {
    if (known.has(domain)) continue
    const text = `No route belongs to the documentation domain \`${domain}\`: ${choice}.`
    warnOnce(appOrRouter, text, { code: NOT_DOCUMENTED })
  }
}

function infoOf({ title, version, description, contact, license }: OpenApiOptions): Info {
  return {
    title,
    version,
    ...(description && { description }),
    ...(contact && { contact }),
    ...(license && { license }),
  }
}

function toServer(server: string | Server): Server {
  return typeof server === 'string' ? { url: server } : server
}
