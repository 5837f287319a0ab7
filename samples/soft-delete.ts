import express from 'express'
import { errorHandler, mountResource, notFound, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// DELETE marks a page as deleted; callers who may restore can list deleted pages, restore them, and purge them.
const Page = z.object({ id: z.int(), title: z.string() })

const pages = memoryStore<z.infer<typeof Page> & { deletedAt: Date | null }>({
  key: 'id',
  unique: ['title'],
  defaults: { deletedAt: null },
  rows: [
    { id: 1, title: 'Welcome', deletedAt: null },
    { id: 2, title: 'Terms', deletedAt: null },
    { id: 3, title: 'Old news', deletedAt: new Date('2026-11-01') },
  ],
})

const app = express()

mountResource(app, {
  route: '/pages',
  name: 'pages',
  ...crud(pages, {
    input: Page.pick({ title: true }),
    output: Page, // `deletedAt` is not sent to clients
    softDelete: {
      field: 'deletedAt',
      unique: ['title'], // the title of a deleted page is still taken: the 409 says so
      allows: (req) => req.get('x-role') === 'keeper', // with an `app` the permission `{app}.pages.restore` is asked
    },
  }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl -X DELETE ${url}/pages/1`)
console.log(`  curl -H 'x-role: keeper' '${url}/pages?deleted=only'`)
console.log(`  curl -X PUT -H 'x-role: keeper' ${url}/pages/1/restore`)
