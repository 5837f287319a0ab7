import express from 'express'
import { errorHandler, mountResource, notFound, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// Two people edit one page: the second is told, and nobody's work is lost. And many pages at once, all or none.
const Page = z.object({ id: z.int(), title: z.string(), text: z.string() })
const NewPage = z.object({ title: z.string().trim().min(1, 'A page has a title'), text: z.string().default('') })

const pages = memoryStore<z.infer<typeof Page> & { version: number }>({
  key: 'id',
  unique: ['title'],
  rows: [{ id: 1, title: 'Welcome', text: 'Hello', version: 1 }, { id: 2, title: 'Help', text: 'Ask', version: 1 }],
})

const app = express()

mountResource(app, {
  route: '/pages',
  name: 'pages',
  ...crud(pages, {
    input: NewPage,
    output: Page,
    ifMatch: 'required', // 428 without If-Match, 412 with a tag that is stale; `*` means whatever is there
    version: 'version', // counts the changes of a row; without it the tag is made of what leaves
    bulk: true, // POST /pages/bulk and PUT /pages
  }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl -i ${url}/pages/1    # its ETag is what If-Match takes`)
console.log(
  `  curl -i --json '{ "text": "Mine" }' -X PATCH ${url}/pages/1 -H 'If-Match: <that ETag>'    # 200, and the second time 412`,
)
console.log(`  curl --json '{ "items": [{ "title": "One" }, { "title": "" }] }' ${url}/pages/bulk`)
