import { z } from 'zod'
import type { MountedRoute } from '../routing/registry.js'
import type { HeaderTraits } from '../types.js'
import { fieldsOf, type Field } from './fields.js'
import { PAGING } from './paging-parameters.js'
import type { OperationPlan } from './templates.js'
import type { Schemas } from './schemas.js'
import { COMMAS } from './tidy.js'
import type { JsonSchema, Parameter } from './types.js'

/** Methods whose `input` reads the query. */
const QUERY_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

export function readsQuery({ method }: MountedRoute): boolean {
  return QUERY_METHODS.has(method)
}

/** The path arguments in their order, what the query may hold, and the headers that the handler reads. */
export function parametersOf({ route, template, id }: OperationPlan, own: readonly string[], schemas: Schemas): Parameter[] {
  const input = fieldsIn(route.input, schemas)
  const ofQuery = fieldsIn(route.query, schemas)
  const query = new Map([...(readsQuery(route) ? input : []), ...ofQuery])
  for (const name of own) query.delete(name)
  const path = own.map((name, index) => pathParameter(template.names[index] ?? name, input.get(name) ?? ofQuery.get(name)))
  const isStrict = route.input !== undefined && schemas.resolve(schemas.of(route.input, 'input')).additionalProperties === false
  return [
    ...path,
    ...[...query].map(([name, field]) => queryParameter(name, field)),
    ...(isStrict ? [] : conventional(route, query, id, own)),
    ...Object.entries(route.requestHeaders).map(([name, header]) => headerParameter(name, header)),
  ]
}

function fieldsIn(schema: MountedRoute['input'], schemas: Schemas): Map<string, Field> {
  return schema === undefined ? new Map<string, Field>() : fieldsOf(schemas.of(schema, 'input'), (one) => schemas.resolve(one))
}

function pathParameter(name: string, field: Field | undefined): Parameter {
  // A wildcard is read as a list of segments, and is one text on the wire.
  const schema = field === undefined || field.schema.type === 'array' ? { type: 'string' } : field.schema
  return { name, in: 'path', required: true, ...described(schema) }
}

function queryParameter(name: string, { schema, required }: Field): Parameter {
  const { [COMMAS]: joined, ...rest } = schema
  return { name, in: 'query', required, ...(joined === true && { style: 'form', explode: false }), ...described(rest) }
}

function headerParameter(name: string, { description, required = false }: HeaderTraits): Parameter {
  return { name, in: 'header', required, description, schema: { type: 'string' } }
}

function described({ description, ...schema }: JsonSchema): Pick<Parameter, 'description' | 'schema'> {
  return description === undefined ? { schema } : { description, schema }
}

/** What hand-written lists and bulk deletes read by `RequestParam`, where the schemas say nothing of it. */
function conventional(route: MountedRoute, declared: ReadonlyMap<string, Field>, id: JsonSchema, pathNames: readonly string[]): Parameter[] {
  const { action, method } = route
  if (action === 'list' && method === 'GET' && !['page', 'limit', 'cursor'].some((name) => declared.has(name))) {
    return PAGING.filter(({ name }) => !declared.has(name))
  }
  return readsIds(route, pathNames) ? [{ ...IDS, schema: idsSchema(id) }] : []
}

/** Returns true for a bulk delete that reads its ids by `RequestParam.ids`: its `input` has path arguments at most. */
export function readsIds({ action, input, readsBody }: MountedRoute, pathNames: readonly string[]): boolean {
  const readsPath = input === undefined || (input instanceof z.ZodObject && Object.keys(input.shape).every((name) => pathNames.includes(name)))
  return action === 'deleteMany' && readsPath && readsBody
}

const IDS = {
  name: 'ids', in: 'query', required: false, description: 'The ids, joined by commas; without them the body has them', style: 'form', explode: false,
} as const

/** The ids that `RequestParam.ids` reads without options, each as the path of one record has it. */
export function idsSchema(id: JsonSchema): JsonSchema {
  return { type: 'array', items: id, minItems: 1, maxItems: 100 }
}
