import type { MountedRoute } from '../routing/registry.js'
import type { HeaderTraits } from '../types.js'
import { fieldsOf, type Field } from './fields.js'
import { PAGING } from './paging-parameters.js'
import type { Schemas } from './schemas.js'
import type { Template } from './templates.js'
import type { JsonSchema, Parameter } from './types.js'

/** Methods whose `input` reads the query. */
const QUERY_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

export function readsQuery({ method }: MountedRoute): boolean {
  return QUERY_METHODS.has(method)
}

/** The path arguments in their order, what the query may hold, and the headers that the handler reads. */
export function parametersOf(route: MountedRoute, own: readonly string[], template: Template, schemas: Schemas): Parameter[] {
  const input = fieldsIn(route.input, schemas)
  const query = new Map([...(readsQuery(route) ? input : []), ...fieldsIn(route.query, schemas)])
  for (const name of own) query.delete(name)
  const path = own.map((name, index) => pathParameter(template.names[index] ?? name, input.get(name)))
  const isStrict = route.input !== undefined && schemas.resolve(schemas.of(route.input, 'input')).additionalProperties === false
  return [
    ...path,
    ...[...query].map(([name, field]) => queryParameter(name, field)),
    ...(isStrict ? [] : conventional(route, query)),
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
  return { name, in: 'query', required, ...described(schema) }
}

function headerParameter(name: string, { description, required = false }: HeaderTraits): Parameter {
  return { name, in: 'header', required, description, schema: { type: 'string' } }
}

function described({ description, ...schema }: JsonSchema): Pick<Parameter, 'description' | 'schema'> {
  return description === undefined ? { schema } : { description, schema }
}

/** What hand-written lists and bulk deletes read by `RequestParam`, where the schemas say nothing of it. */
function conventional({ action, method, input, readsBody }: MountedRoute, declared: ReadonlyMap<string, Field>): Parameter[] {
  if (action === 'list' && method === 'GET' && !['page', 'limit', 'cursor'].some((name) => declared.has(name))) {
    return PAGING.filter(({ name }) => !declared.has(name))
  }
  return action === 'deleteMany' && input === undefined && readsBody ? [IDS] : []
}

const IDS: Parameter = {
  name: 'ids', in: 'query', required: true, description: 'The ids, joined by commas', style: 'form', explode: false,
  schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
}
