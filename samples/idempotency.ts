import express from 'express'
import { errorHandler, mountResource, notFound, param, serve } from 'resourcery'
import { crud, idempotent, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { z } from 'zod'

// A request with an Idempotency-Key is carried out once: a repeat, after a lost reply say, gets the first one, byte for byte.
const Payment = z.object({ id: z.int(), cents: z.int(), state: z.enum(['paid', 'refunded']) })

const payments = memoryStore<z.infer<typeof Payment>>({ key: 'id', defaults: { state: 'paid' } })

// In a database the keys are a table beside the others: `keys: (db) => kyselyStore(db, 'idempotency_keys')`.
const kept = memoryStore<IdempotencyKey>({ key: 'id' })
const idempotency = { keys: () => kept, identity: () => 'everybody' } // without `identity`: whoever is signed in

const { handlers } = crud(payments, {
  input: z.object({ cents: z.int().positive() }),
  output: Payment,
  idempotency: { ...idempotency, required: true },
})

const app = express()

mountResource(app, {
  route: '/payments',
  name: 'payments',
  actions: ['list', 'show', 'create'],
  handlers,
  custom: {
    refund: {
      methods: ['POST'],
      route: '/:id/refund',
      // The handler gets the store inside the transaction that also keeps its reply.
      ...idempotent({ store: payments, ...idempotency }, {
        input: z.object({ id: param.int() }),
        handler: (_req, _res, { id }, store) =>
          store.update(id, { state: 'refunded' }).then((payment) => payment ?? null),
      }),
    },
  },
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(
  `  curl -i -H 'Idempotency-Key: one' -H 'Content-Type: application/json' -d '{"cents":500}' ${url}/payments`,
)
