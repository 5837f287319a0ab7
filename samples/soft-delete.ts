import express from 'express'
import { errorHandler, mountResource, notFound, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// DELETE puts a page into the bin; who may restore can list the bin, restore from it, and delete for good.
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
  route: '/pages', name: 'pages',
  ...crud(pages, {
    input: Page.pick({ title: true }),
    output: Page, // `deletedAt` stays in the house
    trash: {
      field: 'deletedAt',
      unique: ['title'], // a title in the bin is still taken: the 409 says so
      allows: (req) => req.get('x-role') === 'keeper', // with an `app` the permission `{app}.pages.restore` is asked
    },
  }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl -X DELETE ${url}/pages/1`)
console.log(`  curl -H 'x-role: keeper' '${url}/pages?trashed=only'`)
console.log(`  curl -X PUT -H 'x-role: keeper' ${url}/pages/1/restore`)
