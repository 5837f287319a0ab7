import express from 'express'
import { z } from 'zod'
import { envelope, type EnvelopeOptions, errorHandler, mountResource, notFound } from 'resourcery'
import type { Decode } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'

export const OWN: EnvelopeOptions = {
  success: ({ data, meta }) => ({ result: data, ...meta }),
  failure: ({ message, data, reason }) => ({ error: { message, reason, fields: data } }),
  schema: {
    success: ({ data }) => ({ type: 'object', properties: { result: data }, required: ['result'] }),
    failure: ({ message, data, reason }) => {
      const error = { type: 'object', properties: { message, reason, fields: data }, required: ['message', 'reason'] }
      return { type: 'object', properties: { error }, required: ['error'], additionalProperties: false }
    },
  },
}

interface Body {
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly reason: string; readonly fields: unknown }
}

export const decode: Decode = (_status, body) => {
  const { result, error, ...meta } = body as Body
  if (error !== undefined) return { message: error.message, data: error.fields, meta: { reason: error.reason } }
  if (result === undefined) throw new Error('no body of ours')
  return { message: 'ok', data: result, meta }
}

export const Note = z.object({ id: z.int(), title: z.string() })

/** Makes an app with an envelope of its own. */
export function makeApp() {
  const app = express().set('env', 'test').use(envelope(OWN))
  const rows = [{ id: 1, title: 'Milk' }, { id: 2, title: 'Tea' }]
  const notes = mountResource(app, {
    route: '/notes',
    name: 'notes',
    ...crud(memoryStore({ key: 'id', rows }), { input: z.object({ title: z.string().min(1) }), output: Note }),
  })
  const odd = mountResource(app, {
    route: '/odd',
    name: 'odd',
    handlers: { list: (_req, res) => void res.json({ something: 'else' }) },
  })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return { app, notes, odd }
}
