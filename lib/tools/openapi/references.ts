import { isList, isObject, propertyOf, singularOf } from '../../core/index.js'
import { toPascalCase } from './names.js'
import type { JsonSchema } from './types.js'

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
