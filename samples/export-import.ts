import express from 'express'
import { errorHandler, mountResource, notFound, param, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// A list that leaves as a CSV file and comes back as one: what a spreadsheet holds is text, so the input reads text.
const Book = z.object({ id: z.int(), title: z.string(), price: z.number(), printed: z.date().nullable() })
const NewBook = z.object({ title: z.string().min(1), price: param.number().nonnegative('Not below zero'),
  printed: param.date().nullable().optional() })

const books = memoryStore<z.infer<typeof Book>>({
  key: 'id',
  unique: ['title'],
  defaults: { printed: null },
  rows: [
    { id: 1, title: 'Emma', price: 12.5, printed: new Date('1815-12-23') },
    { id: 2, title: '=Persuasion', price: 9, printed: null }, // a formula, were it not for an apostrophe
  ],
})

const app = express()

mountResource(app, {
  route: '/books',
  name: 'books',
  ...crud(books, {
    input: NewBook,
    output: Book,
    sort: ['title', 'price'],
    search: ['title'],
    export: { columns: { id: 'No', title: 'Title', price: 'Price', printed: 'Printed' } },
    import: { maxRows: 1000 }, // takes the headings of the export; `No` is passed over
  }),
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl -o books.csv '${url}/books/export?sort=-price'`)
console.log(`  curl -F dryRun=true -F file=@books.csv ${url}/books/import`)
