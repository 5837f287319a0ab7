import express from 'express'
import { errorHandler, mountResource, notFound, serve } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'

// A help desk: customers have tickets, tickets have comments, each below its parent.
const Customer = z.object({ id: z.int(), name: z.string().min(1) })
const Ticket = z.object({ id: z.int(), customerId: z.int(), title: z.string().min(1) })
const Comment = z.object({ id: z.int(), ticketId: z.int(), text: z.string().min(1) })

const customers = crud(memoryStore({ key: 'id', rows: [{ id: 1, name: 'Ann' }, { id: 2, name: 'Ben' }] }), {
  input: Customer.omit({ id: true }), output: Customer,
})

const tickets = crud(
  memoryStore<z.infer<typeof Ticket>>({ key: 'id', rows: [{ id: 1, customerId: 1, title: 'Printer is on fire' }] }),
  {
    input: Ticket.omit({ id: true, customerId: true }),
    output: Ticket,
    parent: { arg: 'customerId', column: 'customerId', of: customers },
  },
)

const comments = crud(memoryStore<z.infer<typeof Comment>>({ key: 'id' }), {
  input: Comment.omit({ id: true, ticketId: true }), output: Comment,
  parent: { arg: 'ticketId', column: 'ticketId', of: tickets },
})

const app = express()

mountResource(app, { route: '/customers', name: 'customers', ...customers })
mountResource(app, { route: '/customers/:customerId/tickets', name: 'tickets', ...tickets })
mountResource(app, { route: '/customers/:customerId/tickets/:ticketId/comments', name: 'comments', ...comments })

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl ${url}/customers/1/tickets`)
console.log(`  curl --json '{ "text": "Have you tried water?" }' ${url}/customers/1/tickets/1/comments`)
console.log(`  curl ${url}/customers/2/tickets/1/comments  # 404: the ticket is Ann's`)
