import express from 'express'
import { errorHandler, mountResource, notFound } from 'resourcery'
import { z } from 'zod'

/** An app whose resource takes an address, which a check sends its own server in. */
export const app = express()
mountResource(app, {
  route: '/hooks',
  name: 'hooks',
  handlers: { create: { input: z.object({ webhookUrl: z.url() }), handler: (_req, _res, fields) => fields } },
})
app.use(notFound(), errorHandler())
