import express from 'express'
import { errorHandler, findOrFail, notFound, paginate, param, RequestParam, resource, serve } from 'resourcery'
import { openapiRouter } from 'resourcery/openapi'
import { z } from 'zod'

// Routes that document themselves: the schemas that check what is sent and answered are what the document tells.
const Book = z.object({ id: z.int(), title: z.string(), price: z.number(), printed: z.date() }).meta({ id: 'Book' })
const NewBook = Book.omit({ id: true }).extend({ price: param.number().min(0).default(0), printed: param.date() }).meta(
  { id: 'NewBook' },
)
const books = [{ id: 1, title: 'Emma', price: 9.5, printed: new Date('1815-12-23') }]

const app = express()

resource(app, '/books').tags('Books').description('What is on the shelf.')
  .list({ output: z.array(Book), handler: (req) => paginate(books, RequestParam.page(req)) })
  .show({ input: z.object({ id: param.int() }), output: Book,
    handler: (req, res, { id }) => findOrFail(books.find((book) => book.id === id)) })
  .create({
    input: NewBook,
    output: Book,
    handler: (req, res, book) => {
      const added = { id: books.length + 1, ...book }
      books.push(added)
      return added
    },
  })

app.use(openapiRouter(app, { title: 'Books', version: '1.0.0', description: 'A shelf of books.' }))
app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl ${url}/openapi.json    # the page is at ${url}/docs`)
