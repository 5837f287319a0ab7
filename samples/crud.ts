import express from 'express'
import { errorHandler, mountResource, notFound, param, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// A store in, a whole resource out: seven actions, paged, sorted, filtered, validated and documented.
const Note = z.object({ id: z.int(), title: z.string(), done: z.boolean(), priority: z.int() })
const NewNote = z.object({ title: z.string().trim().min(1, 'A note has a title'), done: param.bool().default(false),
  priority: param.int().default(3) })

const notes = memoryStore<z.infer<typeof Note> & { owner: string }>({
  key: 'id',
  unique: ['title'],
  rows: [
    { id: 1, title: 'Buy milk', done: false, priority: 2, owner: 'ann' },
    { id: 2, title: 'Call Ben', done: true, priority: 1, owner: 'ann' },
    { id: 3, title: 'Write to Cid', done: false, priority: 2, owner: 'ben' },
  ],
})

const app = express()

mountResource(app, {
  route: '/notes',
  name: 'notes',
  ...crud(notes, {
    input: NewNote,
    output: Note, // `owner` is not in it: it never leaves, and nobody can list by it
    sort: ['title', 'priority'],
    search: ['title'],
    filters: { done: { eq: param.bool() }, priority: { range: param.int() } },
    before: { create: (note) => ({ ...note, owner: 'ann' }) },
  }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl '${url}/notes?done=false&priority_lte=2&sort=-priority,title&limit=10'`)
