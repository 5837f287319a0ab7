import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { definitionOf, isList, isSchema, originalOf, pathNamesOf, type MountedRoute } from '../../core/index.js'
import type { Resolve } from './fields.js'
import { convert, type Converted } from './json-schema.js'
import { isNamedByUser, mapReferences, referenceTo, type Direction } from './references.js'
import { mountOf, readsQuery, type DocumentedRoute } from './routes.js'
import type { JsonSchema } from './types.js'

/** A schema that is named after its use in a resource: the reply of an action, or its body. */
export interface Model {
  readonly reference: string
  readonly direction: Direction
  /** The reference to the definition of the zod schema, to which other schemas refer, where it has one. */
  readonly schema: string | undefined
  readonly uses: [Use, ...Use[]]
}

interface Use extends DocumentedRoute {
  /** True if the reply is a list of it. */
  readonly isItem: boolean
}

/** The definitions that references name; one reference has several only where schemas share a `.meta({ id })`. */
export type Definitions = ReadonlyMap<string, readonly JsonSchema[]>

/**
 * The schemas of all routes of an app as JSON Schema.
 *
 * A schema that gets a name is replaced by a reference to its definition, here and in operations. The names are given
 * at the end, by `componentNames`, when all schemas are known.
 */
export class Models {
  readonly #keys: ReadonlyMap<object, string>
  readonly #definitions = new Map<string, JsonSchema[]>()
  readonly #converted: Record<Direction, Map<z.ZodType, Converted>> = { input: new Map(), output: new Map() }
  readonly #models = new Map<string, Model[]>()
  /** Returns the definition that a reference names; any other schema is itself. */
  readonly resolve: Resolve
  #count = 0

  constructor(routes: readonly DocumentedRoute[]) {
    this.#keys = keysOf(routes)
    const resolve: Resolve = (schema) =>
      schema.$ref === undefined ? schema : resolve(this.#definitions.get(schema.$ref)?.[0] ?? {})
    this.resolve = resolve
  }

  get definitions(): Definitions {
    return this.#definitions
  }

  get all(): readonly Model[] {
    return [...this.#models.values()].flat()
  }

  /** Returns a schema as JSON Schema, with references to definitions. */
  of(schema: z.ZodType, direction: Direction): JsonSchema {
    return this.#convert(schema, direction).schema
  }

  /** Returns the parts of a route's schemas that a document cannot express. */
  omissionsOf({ input, query, output }: MountedRoute): readonly string[] {
    const omissionsIn = (schema: z.ZodType | undefined, direction: Direction): readonly string[] =>
      schema === undefined ? [] : this.#convert(schema, direction).omissions
    return [...omissionsIn(input, 'input'), ...omissionsIn(query, 'input'), ...omissionsIn(output, 'output')]
  }

  #convert(schema: z.ZodType, direction: Direction): Converted {
    const cached = this.#converted[direction].get(schema)
    if (cached !== undefined) return cached
    const converted = convert(schema, direction, (inner) => this.#keys.get(inner))
    this.#converted[direction].set(schema, converted)
    for (const [key, json] of converted.definitions) this.#define(referenceTo(direction, key), json)
    return converted
  }

  #define(reference: string, json: JsonSchema): void {
    const definitions = this.#definitions.get(reference) ?? []
    if (!definitions.some((definition) => isDeepStrictEqual(definition, json)))
      this.#definitions.set(reference, [...definitions, json])
  }

  /** Returns the schema of the reply of a route, with its object as a model. */
  reply(documented: DocumentedRoute): JsonSchema {
    const { output } = documented.route
    if (output === undefined) return {}
    const schema = this.of(output, 'output')
    const reference = schemaReferenceIn(schema)
    if (reference === undefined) return schema
    const isItem = schema.type === 'array' && schema.items?.$ref === reference
    const model = this.#model('output', reference, { ...documented, isItem }, this.resolve({ $ref: reference }))
    return mapReferences(schema, (reached) => (reached === reference ? model : reached))
  }

  /** Returns the schema of the body of a route, as a model unless it has a name or no fields. */
  body(documented: DocumentedRoute, schema: JsonSchema): JsonSchema {
    const { $ref } = schema
    if ($ref !== undefined && isNamedByUser($ref)) return schema
    const json = this.resolve(schema)
    return hasFields(json) ? { $ref: this.#model('input', $ref, { ...documented, isItem: false }, json) } : schema
  }

  /** Returns the reference to a model; routes of one resource share it where they use one schema. */
  #model(direction: Direction, schema: string | undefined, use: Use, json: JsonSchema): string {
    const place = [direction, resourceOf(use), direction === 'output' ? schema : use.route.action].join(' ')
    const models = this.#models.get(place) ?? []
    const same = models.find(({ reference }) => isDeepStrictEqual(this.#definitions.get(reference)?.[0], json))
    if (same !== undefined) {
      same.uses.push(use)
      return same.reference
    }
    const reference = referenceTo(direction, `model:${++this.#count}`)
    this.#models.set(place, [...models, { reference, direction, schema, uses: [use] }])
    this.#define(reference, json)
    return reference
  }
}

/** Returns a string that identifies a resource in the app. */
export function resourceOf({ path, route }: DocumentedRoute): string {
  return JSON.stringify([route.app, mountOf(path, route.path), route.resource])
}

/** Returns the reference to a schema with a key that is the whole reply, an item of a list, or a nullable reply. */
function schemaReferenceIn({ $ref, items, anyOf = [] }: JsonSchema): string | undefined {
  if ($ref !== undefined) return isNamedByUser($ref) ? undefined : $ref
  const inside = items === undefined ? anyOf : [items]
  return inside.map(schemaReferenceIn).find((found) => found !== undefined)
}

function hasFields({ properties = {}, ...schema }: JsonSchema): boolean {
  return Object.keys(properties).length > 0 || ['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema)
}

/** Gives each schema of an object in a reply or body a key for its definition. */
function keysOf(routes: readonly DocumentedRoute[]): Map<object, string> {
  const schemas = new Set(
    routes.flatMap(({ path, route }) =>
      [replyObjectOf(route), bodyObject(path, route)].flatMap((found) => found ?? [])
    ),
  )
  const named = [...schemas].filter((schema) =>
    !ancestorsOf(schema).some((ancestor) => schemas.has(ancestor) || z.globalRegistry.get(ancestor)?.id !== undefined)
  )
  return new Map(named.map((schema, index) => [schema, `schema:${index + 1}`]))
}

function replyObjectOf({ output }: MountedRoute): z.core.$ZodType | undefined {
  let schema: unknown = output
  for (;;) {
    if (!isSchema(schema)) return undefined
    if (isObject(schema)) return schema
    const { element, innerType } = definitionOf(schema)
    schema = element ?? innerType
  }
}

/** The actions whose body is a partial update, of one record or of several. */
const PARTIAL: readonly string[] = ['store', 'updateMany']

/**
 * The body has no zod schema of its own where fields of it are in the path, and of a partial update, which has no
 * defaults.
 */
function bodyObject(path: string, route: MountedRoute): z.core.$ZodType | undefined {
  const { input, action, readsBody } = route
  if (!(input instanceof z.ZodObject) || !readsBody || readsQuery(route) || PARTIAL.includes(action)) return undefined
  return pathNamesOf(path).some((name) => Object.hasOwn(input.shape, name)) ? undefined : input
}

function isObject(schema: unknown): boolean {
  if (!isSchema(schema)) return false
  const { type, options, left, right } = definitionOf(schema)
  if (type === 'union') return isList(options) && options.every(isObject)
  if (type === 'intersection') return [left, right].every(isObject)
  return type === 'object'
}

/** Returns the schema itself, and those that it is a copy of with other checks or metadata. */
function ancestorsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const original = originalOf(schema)
  return original === undefined ? [] : [original, ...ancestorsOf(original)]
}
