import express, { type Router } from 'express'
import { errorHandler, mountResource, notFound, paginate, param, serve } from 'resourcery'
import { openapiRouter } from 'resourcery/openapi'
import { z } from 'zod'
import type { GrowingShape, Start } from '../data.js'
import { PAGE, firstRow, rowsAfter, rowsOf } from './rows.js'

const Id = z.object({ id: param.int() })
const Input = z.object({ name: z.string().max(100), note: z.string(), price: z.number(), active: z.boolean() })
const Row = Input.extend({ id: z.int() })
const Cursor = z.object({ cursor: z.string().default('') })

/** Resources in a Router under `/api`, with Express's own settings. */
export const start: Start = async (size, shape) => {
  const app = express()
  const api = express.Router()
  if (shape === 'documents') app.use(openapiRouter(app, { title: 'Large', version: '1.0.0' }))
  app.use('/api', api)
  mounts[shape as GrowingShape](api, size)
  app.use(notFound(), errorHandler())
  const { server } = await serve(app, { port: 0, host: '127.0.0.1' })
  return server
}

const mounts: Readonly<Record<GrowingShape, (api: Router, size: number) => void>> = {
  routes: (api, size) => {
    const row = firstRow()
    for (let at = 0; at < size / 2; at++) {
      mountResource(api, {
        route: `/things${at}`,
        name: `things${at}`,
        handlers: {
          list: { output: z.array(Row), handler: () => [row] },
          show: { input: Id, output: Row, handler: () => row },
        },
      })
    }
  },
  lists: (api, size) => {
    const rows = rowsOf(size)
    mountResource(api, {
      route: '/rows',
      name: 'rows',
      handlers: { list: { output: z.array(Row), handler: () => rows } },
    })
  },
  bodies: (api) => {
    mountResource(api, {
      route: '/rows',
      name: 'rows',
      handlers: {
        create: {
          body: { limit: 20_000_000 },
          input: z.object({ rows: z.array(Row) }),
          output: z.object({ count: z.int() }),
          handler: (_req, _res, { rows }) => ({ count: rows.length }),
        },
      },
    })
  },
  documents: (api, size) => {
    const none = (): never => null as never
    for (let at = 0; at < size; at++) {
      const output = Row.meta({ id: `Thing${at}` })
      mountResource(api, {
        route: `/things${at}`,
        name: `things${at}`,
        handlers: {
          list: { output: z.array(output), handler: none },
          show: { input: Id, output, handler: none },
          create: { input: Input, output, handler: none },
          edit: { input: Input.extend(Id.shape), output, handler: none },
          delete: { input: Id, handler: none },
        },
      })
    }
  },
  cursors: (api, size) => {
    const rows = rowsOf((size + 1) * PAGE)
    const source = {
      slice: (offset: number, limit: number) => rows.slice(offset, offset + limit),
      sliceAfter: async (position: readonly unknown[] | null) => {
        const { page, last } = rowsAfter(rows, Number(position?.[0] ?? 0))
        return { items: page, next: last === null ? null : [last] }
      },
    }
    mountResource(api, {
      route: '/rows',
      name: 'rows',
      handlers: {
        list: {
          input: Cursor,
          output: z.array(Row),
          handler: (_req, _res, { cursor }) => paginate(source, { cursor, limit: PAGE }),
        },
      },
    })
  },
}
