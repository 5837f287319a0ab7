import express from 'express'
import { errorHandler, mountResource, notFound, param, routeManifest, serve } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// A server and its typed client in one program. In two, the client imports `type Api`, and the manifest as JSON.
const Task = z.object({ id: z.int(), title: z.string(), done: z.boolean(), due: z.date().nullable() })
const NewTask = z.object({ title: z.string().min(2, 'At least 2 characters'), done: param.bool().default(false),
  due: param.date().nullable().default(null) })
const rows = Array.from({ length: 30 },
  (_, at) => ({ id: at + 1, title: `Task ${at + 1}`, done: at % 3 === 0, due: null }))

const app = express()

export const tasks = mountResource(app, {
  route: '/tasks',
  name: 'tasks',
  ...crud(memoryStore<z.infer<typeof Task>>({ key: 'id', rows }), { input: NewTask, output: Task, sort: ['title'],
    filters: { done: { eq: param.bool() } } }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })

const api = createClient<{ tasks: typeof tasks }>({ url, routes: routeManifest(app) })

const created = await api.tasks.create({ title: 'Buy milk', due: new Date(0) })
if (created.ok) console.log(`created ${created.data.id}: ${created.data.title}, due ${created.data.due ?? 'never'}`)

const refused = await api.tasks.create({ title: 'x' })
if (!refused.ok && refused.code === 422) console.log(`refused: ${refused.data.title?.join(', ') ?? refused.message}`)

let open = 0
for await (const task of api.tasks.all({ done: false, limit: 10 })) if (!task.done) open++
console.log(`open: ${open}`)
console.log(`listening on ${url}`)
console.log(`  curl '${url}/tasks?done=false&limit=5'`)
