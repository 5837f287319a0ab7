import express from 'express'
import { errorHandler, findOrFail, mountResource, notFound, param, serve } from 'resourcery'
import { z } from 'zod'

// `input` reads path, query and body into typed arguments; `output` says what may leave: the price we pay stays here.
const Book = z.object({ id: z.number(), title: z.string(), price: z.number() })
const NewBook = z.object({ title: z.string().trim().min(1, 'A book has a title'),
  price: param.number().min(0, 'Not below zero') })

const books = [{ id: 1, title: 'Emma', price: 12.5, cost: 7 }, { id: 2, title: 'Ulysses', price: 20, cost: 11 }]

const app = express()

mountResource(app, {
  route: '/books',
  name: 'books',
  handlers: {
    list: {
      input: z.object({ below: param.number().optional() }),
      output: z.array(Book),
      handler: (req, res, { below = Infinity }) => books.filter(({ price }) => price < below),
    },
    show: {
      input: z.object({ id: param.int() }),
      output: Book,
      handler: (req, res, { id }) => findOrFail(books.find((book) => book.id === id), 'No such book'),
    },
    create: {
      input: NewBook,
      output: Book,
      handler: (req, res, { title, price }) => ({ id: books.push({ id: books.length + 1, title, price, cost: 0 }),
        title, price }),
    },
  },
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(
  `  curl -X POST ${url}/books -H 'Content-Type: application/json' -d '{ "title": "Middlemarch", "price": "15.5" }'`,
)
