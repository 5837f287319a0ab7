import swagger from '@fastify/swagger'
import createFastify, { type FastifyInstance } from 'fastify'
import type { GrowingShape, Start } from '../data.js'
import { cursorOf, positionOf } from './express.js'
import { firstRow, rowsAfter, rowsOf, type Row } from './rows.js'

const input = {
  name: { type: 'string', maxLength: 100 },
  note: { type: 'string' },
  price: { type: 'number' },
  active: { type: 'boolean' },
}
const Id = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } }
const Input = { type: 'object', required: Object.keys(input), additionalProperties: false, properties: input }
const Row = {
  type: 'object',
  required: ['id', ...Object.keys(input)],
  properties: { id: { type: 'integer' }, ...input },
}
const Rows = { type: 'array', items: Row }

/** The same with JSON schemas, a prefix and its own plugin for documents. */
export const start: Start = async (size, shape) => {
  const app = createFastify({ bodyLimit: 20_000_000 })
  if (shape === 'documents') {
    await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Large', version: '1.0.0' } } })
    app.get('/openapi.json', () => app.swagger())
  }
  await app.register(async (api) => mounts[shape as GrowingShape](api, size), { prefix: '/api' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

const mounts: Readonly<Record<GrowingShape, (api: FastifyInstance, size: number) => unknown>> = {
  // Several thousand plugins overflow Fastify's stack, so that the resources have none of their own.
  routes: (api, size) => {
    const row = firstRow()
    for (let at = 0; at < size / 2; at++) {
      api.get(`/things${at}`, { schema: { response: { 200: envelope(Rows) } } }, async () => ok([row]))
      api.get(`/things${at}/:id`, { schema: { params: Id, response: { 200: envelope(Row) } } }, async () => ok(row))
    }
  },
  lists: (api, size) => {
    const rows = rowsOf(size)
    api.get('/rows', { schema: { response: { 200: envelope(Rows) } } }, async () => ok(rows))
  },
  bodies: (api) => {
    const body = { type: 'object', required: ['rows'], properties: { rows: Rows } }
    const Count = { type: 'object', properties: { count: { type: 'integer' } } }
    api.post<{ Body: { rows: Row[] } }>(
      '/rows',
      { schema: { body, response: { 201: envelope(Count) } } },
      async (request, reply) => {
        reply.code(201)
        return { ...ok({ count: request.body.rows.length }), code: 201 }
      },
    )
  },
  documents: (api, size) => {
    const none = async (): Promise<null> => null
    for (let at = 0; at < size; at++) {
      const Thing = { ...Row, title: `Thing${at}` }
      const [one, list] = [envelope(Thing), envelope({ type: 'array', items: Thing })]
      const path = `/things${at}`
      api.get(path, { schema: { response: { 200: list } } }, none)
      api.get(`${path}/:id`, { schema: { params: Id, response: { 200: one } } }, none)
      api.post(path, { schema: { body: Input, response: { 201: one } } }, none)
      api.put(`${path}/:id`, { schema: { params: Id, body: Input, response: { 200: one } } }, none)
      api.delete(`${path}/:id`, { schema: { params: Id } }, none)
    }
  },
  cursors: (api, size) => {
    const rows = rowsOf((size + 1) * 20)
    const querystring = { type: 'object', properties: { cursor: { type: 'string', default: '' } } }
    const meta = { type: 'object', properties: { limit: { type: 'integer' }, next: { type: ['string', 'null'] } } }
    api.get<{ Querystring: { cursor: string } }>(
      '/rows',
      { schema: { querystring, response: { 200: envelope(Rows, meta) } } },
      async (request) => {
        const { page, last } = rowsAfter(rows, positionOf(request.query.cursor))
        return { ...ok(page), meta: { limit: page.length, next: last === null ? null : cursorOf(last) } }
      },
    )
  },
}

function ok(data: unknown): { code: number; message: string; data: unknown; meta: object } {
  return { code: 200, message: 'ok', data, meta: {} }
}

function envelope(data: object, meta: object = { type: 'object', properties: {} }): object {
  return { type: 'object', properties: { code: { type: 'integer' }, message: { type: 'string' }, data, meta } }
}
