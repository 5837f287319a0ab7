import { ValidateError } from '@tsoa/runtime'
import express, { type ErrorRequestHandler, type Router } from 'express'
import type { Start } from '../../data.js'
import { Refusal } from './authentication.js'

/* tsoa on Express: controllers as classes, rules as comments, and routes that it has generated from both. */

export const start: Start = async (resources) => {
  const { RegisterRoutes } = await import(`./generated/routes-${resources}.js`) as {
    readonly RegisterRoutes: (app: Router) => void
  }
  const app = express().disable('etag').disable('x-powered-by')
  app.use(express.json())
  RegisterRoutes(app)
  app.use((_req, res) =>
    void res.status(404).json({ code: 404, message: 'Not found', data: null, meta: { reason: 'not_found' } })
  )
  app.use(onError)
  return app.listen(0, '127.0.0.1')
}

const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  if (error instanceof ValidateError) {
    const fields = Object.fromEntries(
      Object.entries(error.fields).map(([name, { message }]) => [name.replace(/^post\./, ''), [textOf(message)]]),
    )
    res.status(422).json({
      code: 422,
      message: Object.values(fields)[0]?.[0] ?? 'Invalid',
      data: fields,
      meta: { reason: 'validation' },
    })
    return
  }
  const { status, message, reason } = error instanceof Refusal
    ? error
    : new Refusal(500, 'Something went wrong', 'internal')
  res.status(status).json({ code: status, message, data: null, meta: { reason } })
}

/** A comment can set the message of every rule but one. */
function textOf(message: string): string {
  return message.startsWith('should be one of') ? 'must be equal to one of the allowed values' : message
}
