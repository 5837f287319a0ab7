import express from 'express'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { errorHandler, mountResource, notFound, ready, serve } from 'resourcery'

/* One of the processes behind a proxy, by the settings of docs/serving.md. */

const Note = z.object({ id: z.number(), title: z.string() })
const store = memoryStore<{ id: number; title: string }>({ key: 'id', rows: [{ id: 1, title: 'first' }] })

const app = express()
app.get('/ready', ready())
mountResource(app, {
  route: '/notes',
  name: 'notes',
  ...crud(store, { input: Note.omit({ id: true }), output: Note }),
})
app.use(notFound(), errorHandler())

await serve(app, { port: Number(process.env.PORT), host: '127.0.0.1', delay: 3 })
