import express, { type Response, type Router } from 'express'
import { z } from 'zod'
import type { GrowingShape, Start } from '../data.js'
import { firstRow, rowsAfter, rowsOf } from './rows.js'

const Id = z.object({ id: z.coerce.number().int().positive() })
const Row = z.object({
  id: z.int(),
  name: z.string().max(100),
  note: z.string(),
  price: z.number(),
  active: z.boolean(),
})
const Body = z.object({ rows: z.array(Row) })
const Cursor = z.object({ cursor: z.string().default('') })

/** The same by hand, with `app.listen`; Express makes no documents. */
export const start: Start = (size, shape) => {
  const app = express()
  const api = express.Router()
  app.use(express.json({ limit: 20_000_000 }))
  app.use('/api', api)
  mounts[shape as Exclude<GrowingShape, 'documents'>](api, size)
  app.use((_req, res) => void res.status(404).json({ code: 404, message: 'Not found', data: null, meta: {} }))
  return app.listen(0, '127.0.0.1')
}

const mounts: Readonly<Record<Exclude<GrowingShape, 'documents'>, (api: Router, size: number) => void>> = {
  routes: (api, size) => {
    const row = firstRow()
    for (let at = 0; at < size / 2; at++) {
      const router = express.Router()
      router.get('/', (_req, res) => reply(res, 200, [row]))
      router.get('/:id', (req, res) => {
        const params = Id.safeParse(req.params)
        if (params.success) reply(res, 200, row)
        else reply(res, 422, null)
      })
      api.use(`/things${at}`, router)
    }
  },
  lists: (api, size) => {
    const rows = rowsOf(size)
    api.get('/rows', (_req, res) => reply(res, 200, rows))
  },
  bodies: (api) => {
    api.post('/rows', (req, res) => {
      const body = Body.safeParse(req.body)
      if (body.success) reply(res, 201, { count: body.data.rows.length })
      else reply(res, 422, null)
    })
  },
  cursors: (api, size) => {
    const rows = rowsOf((size + 1) * 20)
    api.get('/rows', (req, res) => {
      const query = Cursor.safeParse(req.query)
      const after = query.success ? positionOf(query.data.cursor) : NaN
      if (!Number.isSafeInteger(after)) return reply(res, 422, null)
      const { page, last } = rowsAfter(rows, after)
      reply(res, 200, page, { limit: page.length, next: last === null ? null : cursorOf(last) })
    })
  },
}

export function cursorOf(position: number): string {
  return Buffer.from(JSON.stringify([position])).toString('base64url')
}

export function positionOf(cursor: string): number {
  if (cursor === '') return 0
  const [position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
  return typeof position === 'number' ? position : NaN
}

function reply(res: Response, code: number, data: unknown, meta: object = {}): void {
  res.status(code).json({ code, message: 'ok', data, meta })
}
