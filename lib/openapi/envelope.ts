import type { MountedRoute } from '../routing/registry.js'
import type { Schemas } from './schemas.js'
import type { JsonSchema } from './types.js'

/** Components that every document may refer to, beside those of the user's. */
export const ENVELOPES = {
  PageMeta: {
    type: 'object',
    description: 'The figures of a page: by number `total`, `page` and `limit`, by cursor `limit` and `next`.',
    properties: {
      total: { type: 'integer', minimum: 0, description: 'The number of all rows' },
      page: { type: 'integer', minimum: 1 },
      limit: { type: 'integer', minimum: 1 },
      next: { type: ['string', 'null'], description: 'The cursor of the following page, null at the end' },
    },
  },
  ErrorMeta: {
    type: 'object',
    properties: {
      reason: { type: 'string', description: 'Why, in a word that a program can rely on' },
      requestId: { description: 'Which request this was' },
    },
    required: ['reason'],
  },
  ErrorEnvelope: envelope({ type: 'integer', minimum: 400, maximum: 599 }, { description: 'Nothing, or details' }, metaOf('ErrorMeta')),
  ValidationEnvelope: envelope(
    { type: 'integer', const: 422 },
    {
      type: 'object',
      description: 'The messages of each field; those of the whole stand under `_`.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    metaOf('ErrorMeta'),
  ),
} as const satisfies Record<string, JsonSchema>

/** The envelope around what one route answers. */
export function successEnvelope(route: MountedRoute, schemas: Schemas): JsonSchema {
  const data = route.output === undefined ? {} : schemas.of(route.output, 'output')
  return envelope({ type: 'integer', const: route.status }, data, metaSchema(route, schemas.resolve(data)))
}

/** What bulk actions count. */
const COUNTS: Readonly<Record<string, string>> = { createMany: 'created', updateMany: 'updated', deleteMany: 'deleted' }

function metaSchema({ action }: MountedRoute, data: JsonSchema): JsonSchema {
  const count = Object.hasOwn(COUNTS, action) ? COUNTS[action] : undefined
  if (count !== undefined) return { type: 'object', properties: { [count]: { type: 'integer', minimum: 0, description: `How many were ${count}` } } }
  return action === 'list' || data.type === 'array' ? metaOf('PageMeta') : { type: 'object' }
}

function metaOf(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

function envelope(code: JsonSchema, data: JsonSchema, meta: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { code, message: { type: 'string' }, data, meta },
    required: ['code', 'message', 'data', 'meta'],
  }
}
