import express from 'express'
import { errorHandler, mountResource, notFound, param, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// Categories under categories: listed nested, moved by their `parentId`, never under themselves.
const Category = z.object({ id: z.int(), name: z.string(), parentId: z.int().nullable() })
const NewCategory = z.object({ name: z.string().min(1), parentId: param.int().nullable().default(null) })

const categories = memoryStore<z.infer<typeof Category>>({
  key: 'id',
  rows: [
    { id: 1, name: 'Books', parentId: null },
    { id: 2, name: 'Novels', parentId: 1 },
    { id: 3, name: 'Crime', parentId: 2 },
    { id: 4, name: 'Music', parentId: null },
  ],
})

const app = express()

mountResource(app, {
  route: '/categories',
  name: 'categories',
  ...crud(categories, {
    input: NewCategory,
    output: Category,
    tree: { parent: 'parentId', depth: 4, onDelete: 'reparent' }, // children go to the grandparent; or `restrict`, or `cascade`
  }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl '${url}/categories?tree=true'`)
console.log(`  curl -X PATCH --json '{ "parentId": 3 }' ${url}/categories/1`)
console.log(`  curl -X DELETE ${url}/categories/2`)
