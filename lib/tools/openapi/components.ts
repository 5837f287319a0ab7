import { createHash } from 'node:crypto'
import { MisuseError } from '../../core/index.js'
import { SHARED_HEADERS } from './failures.js'
import { SHARED_SCHEMAS } from './responses.js'
import { namedModels, spellModel, type NamedModel } from './model-names.js'
import type { Definitions, Models } from './models.js'
import { distinctNames, freeName, toPascalCase } from './names.js'
import { isNamedByUser, mapReferences, REFERENCE, referencesIn, type Referred } from './references.js'
import { compare } from './routes.js'
import { withReadableStrings } from './strings.js'
import type { Components, Response } from './types.js'

/** The schemas, replies and headers that documents of an app share. */
export interface SharedComponents {
  /** Returns JSON in which references name components. */
  readonly publish: <T>(json: T) => T
  /** Returns the components that these references need, directly or through others. */
  readonly usedBy: (references: Iterable<string>) => Omit<Components, 'securitySchemes'>
}

/** JSON, the name for the schemas in it that have no other name, and the references in it. */
export interface Named {
  readonly name: string
  readonly references: readonly Referred[]
}

/**
 * Gives the definitions of all schemas their names; `responses` are those that operations refer to.
 *
 * @throws MisuseError `component_conflict` when two different schemas have the same `.meta({ id })`.
 */
export function toComponents(models: Models, operations: readonly Named[],
  responses: ReadonlyMap<string, Response>): SharedComponents
{
  const names = new Names(models)
  names.nameAll(operations)
  const shared = new Map([...SHARED, ...responses])
  const componentOf = (reference: string): Component => {
    if (shared.has(reference)) return { place: reference, json: shared.get(reference) }
    const name = names.of(reference)
    const json = models.definitions.get(reference)?.[0] ?? {}
    return { place: SCHEMAS + name, json: names.ofRequests.has(name) ? withReadableStrings(json) : json }
  }
  return {
    publish: (json) => mapReferences(json, (reference) => SCHEMAS + names.of(reference)),
    usedBy: (references) => closureOf(references, componentOf),
  }
}

const SCHEMAS = '#/components/schemas/'

/** The components of every document that are not made of the routes' schemas, by reference. */
const SHARED: ReadonlyMap<string, unknown> = new Map(
  Object.entries({ schemas: SHARED_SCHEMAS, headers: SHARED_HEADERS }).flatMap(([kind, components]) =>
    Object.entries<unknown>(components).map(([name, json]) => [`#/components/${kind}/${name}`, json] as const)
  ),
)

interface Component {
  /** Its reference in the document. */
  readonly place: string
  readonly json: unknown
}

function closureOf(
  references: Iterable<string>,
  componentOf: (reference: string) => Component,
): Omit<Components, 'securitySchemes'> {
  const used = new Map<string, unknown>()
  const seen = new Set(references)
  for (const reference of seen) {
    const { place, json } = componentOf(reference)
    if (!used.has(place)) used.set(place, json)
    // The iteration of a set includes values that are added meanwhile.
    for (const inner of referencesIn(json)) seen.add(inner.reference)
  }
  const sorted = [...used].sort(([one], [other]) => compare(one, other))
  const ofKind = <T>(kind: string): Record<string, T> => {
    const prefix = `#/components/${kind}/`
    return Object.fromEntries(
      sorted.flatMap(([place, json]) => (place.startsWith(prefix) ? [[place.slice(prefix.length), json as T]] : [])),
    )
  }
  return { schemas: ofKind('schemas'), responses: ofKind('responses'), headers: ofKind('headers') }
}

class Names {
  readonly #models: Models
  readonly #digests: ReadonlyMap<string, string>
  readonly #names = new Map<string, string>()
  /** The names that are given, each with the digest of its schema. */
  readonly #taken = new Map<string, string>(Object.keys(SHARED_SCHEMAS).map((name) => [name, '']))
  /** The names of schemas that clients send. */
  readonly ofRequests = new Set<string>()
  /** The models that other schemas refer to by the definition of a zod schema. */
  readonly #bySchema = new Map<string, string>()

  constructor(models: Models) {
    this.#models = models
    this.#digests = digestsOf(models.definitions)
  }

  of(reference: string): string {
    return this.#names.get(reference) ?? ''
  }

  nameAll(operations: readonly Named[]): void {
    this.#nameByUsers()
    this.#nameModels()
    const seen = new Set<string>()
    for (const { name, references } of operations) this.#nameInside(references, name, seen)
    for (const [reference, name] of this.#names) if (reference.startsWith('#/input/')) this.ofRequests.add(name)
  }

  /**
   * Names the definitions with a `.meta({ id })`; if the schema of requests differs from that of replies, the former
   * is `{id}Input`.
   */
  #nameByUsers(): void {
    const references = [...this.#models.definitions.keys()].filter(isNamedByUser).sort().reverse()
    for (const reference of references) {
      const id = reference.slice(reference.indexOf('/', 2) + 1)
      if ((this.#models.definitions.get(reference)?.length ?? 0) > 1) throw conflict(id)
      const output = this.#digests.get(`#/output/${id}`)
      const digest = this.#digests.get(reference) ?? ''
      const name = output === undefined || output === digest ? id : `${id}Input`
      if ((this.#taken.get(name) ?? digest) !== digest) throw conflict(name)
      this.#taken.set(name, digest)
      this.#names.set(reference, name)
    }
  }

  #nameModels(): void {
    const naming = {
      spell: spellModel,
      qualifiers: ['app', 'role', 'mount'],
      identityOf: ({ digest }: NamedModel) => digest,
      taken: this.#taken,
    }
    const names = distinctNames(namedModels(this.#models.all, this.#digests), naming)
    for (const [{ models, digest }, name] of names) {
      this.#taken.set(name, digest)
      for (const { reference, schema } of models) {
        this.#names.set(reference, name)
        const other = schema === undefined ? undefined : this.#bySchema.get(schema)
        if (schema !== undefined && (other === undefined || compare(name, other) < 0)) this.#bySchema.set(schema, name)
      }
    }
  }

  /**
   * Names the definitions that JSON refers to and that have no name yet: after the model of the same schema, or after
   * the definition around them.
   */
  #nameInside(references: readonly Referred[], context: string, seen: Set<string>): void {
    for (const { reference, hint } of references) {
      if (!REFERENCE.test(reference)) continue
      if (!this.#names.has(reference)) {
        this.#names.set(reference, this.#free(this.#nameAfterModel(reference) ?? context + hint, reference))
      }
      if (seen.has(reference)) continue
      seen.add(reference)
      this.#nameInside(referencesIn(this.#models.definitions.get(reference)?.[0]), this.of(reference), seen)
    }
  }

  #nameAfterModel(reference: string): string | undefined {
    const [, direction = '', key = ''] = reference.split('/')
    const own = this.#bySchema.get(reference)
    if (own !== undefined) return own
    const other = this.#bySchema.get(`#/${direction === 'input' ? 'output' : 'input'}/${key}`)
    if (other === undefined) return undefined
    return this.#taken.get(other) === this.#digests.get(reference) ? other : other + toPascalCase(direction)
  }

  #free(name: string, reference: string): string {
    const digest = this.#digests.get(reference) ?? ''
    const free = freeName(name, (candidate) => (this.#taken.get(candidate) ?? digest) !== digest)
    this.#taken.set(free, digest)
    return free
  }
}

function conflict(id: string): MisuseError {
  return new MisuseError(
    'component_conflict',
    `Two different schemas are called \`${id}\`: give one of them another \`.meta({ id })\`.`,
  )
}

/** Returns a digest of each definition; definitions with the same meaning have the same one. */
function digestsOf(definitions: Definitions): ReadonlyMap<string, string> {
  const texts = new Map(
    [...definitions].map(([reference, [json]]) => [reference, splitAtReferences(JSON.stringify(json))]),
  )
  let digests = new Map<string, string>()
  for (let before = -1; before < new Set(digests.values()).size;) {
    before = new Set(digests.values()).size
    digests = new Map([...texts].map(([reference, parts]) => [reference, digestOf(parts, digests)]))
  }
  return digests
}

/** Splits JSON so that every second part is a reference. */
function splitAtReferences(text: string): string[] {
  return text.split(/"(#\/(?:input|output)\/[^"]+)"/)
}

function digestOf(parts: readonly string[], digests: ReadonlyMap<string, string>): string {
  const [only = ''] = parts
  if (parts.length === 1) return only
  const hash = createHash('sha256')
  parts.forEach((part, index) => hash.update(index % 2 === 0 ? part : `"${digests.get(part) ?? ''}"`))
  return hash.digest('base64url')
}
