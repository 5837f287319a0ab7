import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { MisuseError } from '../errors.js'
import { convert, type Direction } from './convert.js'
import { mapValues } from './map-values.js'
import { compare } from './order.js'
import { isReference, RAW } from './tidy.js'
import type { JsonSchema } from './types.js'

const PUBLISHED = '#/components/schemas/'

/**
 * The schemas of one document and the names of its components.
 *
 * A schema with `.meta({ id: 'User' })` is the component `User`; where what is sent differs from what is answered, the former is `UserInput`.
 */
export class Schemas {
  readonly #definitions: Record<Direction, Map<string, JsonSchema>> = { input: new Map(), output: new Map() }
  /** The ids that mean one thing when sent and another when answered. */
  #twofold = new Set<string>()

  /** Takes note of a schema, and answers what of it cannot be said. Names are known once all have been noted. */
  note(schema: z.ZodType, direction: Direction): readonly string[] {
    const { definitions, unsayable } = convert(schema, direction)
    for (const [id, json] of Object.entries(definitions)) this.#define(id, json, direction)
    return unsayable
  }

  #define(id: string, json: JsonSchema, direction: Direction): void {
    const definitions = this.#definitions[direction]
    const other = definitions.get(id)
    if (other !== undefined && !isDeepStrictEqual(json, other)) {
      throw conflict(id)
    }
    definitions.set(id, json)
  }

  /** Ends the noting: an id is twofold when its own words differ, or those of a schema that it refers to. */
  settle(): void {
    const { input, output } = this.#definitions
    const shared = [...input].filter(([id]) => output.has(id))
    const differing = shared.filter(([id, json]) => !isDeepStrictEqual(json, output.get(id)))
    this.#twofold = new Set(differing.map(([id]) => id))
    for (let before = -1; before < this.#twofold.size;) {
      before = this.#twofold.size
      for (const [id, json] of shared) {
        if (refersTo(json, this.#twofold)) this.#twofold.add(id)
      }
    }
  }

  /** A schema of a settled document, with references to its components. */
  of(schema: z.ZodType, direction: Direction): JsonSchema {
    return this.#publish(convert(schema, direction).schema, direction)
  }

  /** What a published reference stands for; any other schema is itself. */
  resolve(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema
    const id = schema.$ref.slice(PUBLISHED.length)
    return this.components()[id] ?? {}
  }

  #components: Record<string, JsonSchema> | undefined

  /** All components by name, in the order of their names. */
  components(): Readonly<Record<string, JsonSchema>> {
    this.#components ??= this.#named()
    return this.#components
  }

  #named(): Record<string, JsonSchema> {
    const components = new Map<string, JsonSchema>()
    for (const direction of ['output', 'input'] as const) {
      for (const [id, json] of this.#definitions[direction]) {
        const name = this.#nameOf(id, direction)
        const component = this.#publish(json, direction)
        if (!isDeepStrictEqual(components.get(name) ?? component, component)) throw conflict(name)
        components.set(name, component)
      }
    }
    return Object.fromEntries([...components].sort(([one], [other]) => compare(one, other)))
  }

  #nameOf(id: string, direction: Direction): string {
    return direction === 'input' && this.#twofold.has(id) ? `${id}Input` : id
  }

  #publish(schema: JsonSchema, direction: Direction): JsonSchema {
    const rename = (ref: string): string => PUBLISHED + this.#nameOf(ref.slice(RAW.length), direction)
    return renameReferences(schema, rename) as JsonSchema
  }
}

function conflict(id: string): MisuseError {
  return new MisuseError('component_conflict', `Two different schemas have the id \`${id}\`: a component of a document means one thing.`)
}

function renameReferences(value: unknown, rename: (ref: string) => string): unknown {
  if (isReference(value)) return rename(value)
  if (Array.isArray(value)) return value.map((item) => renameReferences(item, rename))
  if (typeof value !== 'object' || value === null) return value
  return mapValues(value as Record<string, unknown>, (inner) => renameReferences(inner, rename))
}

function refersTo(schema: JsonSchema, ids: ReadonlySet<string>): boolean {
  let found = false
  renameReferences(schema, (ref) => {
    found ||= ids.has(ref.slice(RAW.length))
    return ref
  })
  return found
}
