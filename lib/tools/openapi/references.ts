import { isList, isObject, propertyOf, singularOf } from '../../core/index.js'
import { toPascalCase } from './names.js'
import type { JsonSchema } from './types.js'

/** `input` is sent by clients, `output` is received by them. */
export type Direction = 'input' | 'output'

/** Returns the reference to a definition, which is replaced by that to a component at the end. */
export function referenceTo(direction: Direction, key: string): string {
  return `#/${direction}/${key}`
}

/** Matches the values of `referenceTo`. */
export const REFERENCE = /^#\/(?:input|output)\//

/** Replaces the references in JSON; values without references are not copied. */
export function mapReferences<T>(json: T, map: (reference: string) => string): T {
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return REFERENCE.test(value) ? map(value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map(replace)
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    const copy: Record<string, unknown> = {}
    let changed = false
    for (const [key, inner] of Object.entries(value)) {
      copy[key] = replace(inner)
      changed ||= copy[key] !== inner
    }
    return changed ? copy : value
  }
  return replace(json) as T
}

/** Returns true for a reference to a definition that a `.meta({ id })` names. */
export function isNamedByUser(reference: string): boolean {
  return !reference.includes(':')
}

/** A reference to a component. */
export interface Referred {
  readonly reference: string
  /** The end of the schema's name; the beginning is the name of the schema that contains it. */
  readonly hint: string
}

/** Returns the references in JSON; a variant of a union is called after its value, anything else after its property. */
export function referencesIn(json: unknown): Referred[] {
  const references: Referred[] = []
  collectReferences(json, '', references)
  return references
}

function collectReferences(json: unknown, hint: string, found: Referred[]): void {
  if (isList(json)) { for (const item of json) collectReferences(item, hint, found) }
  if (!isObject(json)) return
  const { discriminator, properties = {}, items, ...others }: JsonSchema = json
  if (typeof others.$ref === 'string') found.push({ reference: others.$ref, hint })
  collectVariants(discriminator, hint, found)
  for (const [name, field] of Object.entries(properties)) collectReferences(field, toPascalCase(name), found)
  for (const value of Object.values(others)) collectReferences(value, hint, found)
  collectReferences(items, singularOf(hint), found)
}

function collectVariants(discriminator: unknown, hint: string, found: Referred[]): void {
  const mapping = propertyOf(discriminator, 'mapping')
  if (!isObject(mapping)) return
  for (const [value, reference] of Object.entries(mapping))
    found.push({ reference: String(reference), hint: hint + toPascalCase(value) })
}
