import type { JsonSchema } from '../../lib/tools/openapi/types.js'

/*
 * What the providers of models refuse in the definition of a tool. One tool that breaks a rule makes a request fail with
 * all of its tools:
 *
 * - Anthropic: no `oneOf`, `allOf` or `anyOf` at the top; arguments have names of 1 to 64 letters, digits, `_`, `.`, `-`.
 * - OpenAI: an object at the top, without `oneOf`, `anyOf`, `allOf`, `enum` or `not`; lists have `items`.
 * - Gemini: each required name is declared; references are to `$defs` of the same schema; a type is named.
 */

const AT_THE_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'if', '$ref']
const ARGUMENT = /^[\w.-]{1,64}$/

/** Returns what providers would refuse in the schemas of a tool. */
export function faultsOf(input: JsonSchema, output: JsonSchema | undefined): string[] {
  const top = input.type === 'object' ? [] : ['no object at the top']
  const unions = AT_THE_TOP.filter((keyword) => keyword in input).map((keyword) => `${keyword} at the top`)
  const names = Object.keys(input.properties ?? {}).filter((name) => !ARGUMENT.test(name))
  return [
    ...top,
    ...unions,
    ...names.map((name) => `the argument \`${name}\``),
    ...faultsWithin(input, input, '#'),
    ...(output === undefined ? [] : faultsWithin(output, output, 'output')),
  ]
}

function faultsWithin(schema: JsonSchema, root: JsonSchema, at: string): string[] {
  const { type, items, properties = {}, required = [], $ref, additionalProperties } = schema
  const declared = Object.keys(properties)
  const own = [
    ...(required as readonly string[]).filter((name) => !declared.includes(name)).map((name) =>
      `\`${name}\` is required and not declared at ${at}`
    ),
    ...(type === 'array' && items === undefined && schema.prefixItems === undefined
      ? [`a list without items at ${at}`]
      : []),
    ...($ref === undefined || isKnown(String($ref), root) ? [] : [`an unknown reference at ${at}`]),
  ]
  const parts = ['oneOf', 'anyOf', 'allOf', 'prefixItems'].flatMap((keyword) => (schema[keyword] ?? []) as JsonSchema[])
  const inner: [string, unknown][] = [
    ...Object.entries(properties).map(([name, one]): [string, unknown] => [`${at}.${name}`, one]),
    ...Object.entries((schema.$defs ?? {}) as object).map((
      [name, one],
    ): [string, unknown] => [`${at}/$defs/${name}`, one]),
    ...parts.map((one): [string, unknown] => [at, one]),
    [`${at}[]`, items],
    [`${at}.*`, additionalProperties],
  ]
  return [...own, ...inner.flatMap(([place, one]) => isSchema(one) ? faultsWithin(one, root, place) : [])]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}

function isKnown(reference: string, { $defs = {} }: JsonSchema): boolean {
  const [, name] = /^#\/\$defs\/(\w+)$/.exec(reference) ?? []
  return name !== undefined && name in ($defs as object)
}
