import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { HttpError } from 'resourcery'
import { fromParserError } from '../../lib/core/request/errors.js'
import { plainBodyOf } from '../../lib/core/request/fields.js'
import { readBody } from '../../lib/core/request/read-body.js'
import { serving, type Client } from '../support/http.js'

export const LIMIT = 60

const show: RequestHandler = (req, res) => {
  res.json({
    body: (req.body as unknown) ?? null,
    plain: plainBodyOf(req) ?? null,
    listeners: req.eventNames().map(String).sort(),
  })
}
const showError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const known = error instanceof HttpError ? error : fromParserError(error)
  res.status(known?.status ?? 500).json({ reason: known?.reason, message: known?.message ?? String(error) })
}

/** Serves the parser of Express at `/express` and `readBody` at `/ours`. */
export function both(): Promise<Client> {
  const app = express()
  app.post('/ours', readBody({ limit: LIMIT }), show)
  app.post('/express', express.json({ limit: LIMIT, type: () => true }), readBody({ limit: LIMIT }), show)
  app.use(showError)
  return serving(app)
}

/** Returns the bytes in pieces, cut at these places. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}
