import express, { type Express } from 'express'
import { auth, errorHandler, issueToken, localDisk, mountResource, mountRoutes, notFound, permission,
  UnauthorizedError } from 'resourcery'
import { crud } from 'resourcery/crud'
import { openapiRouter } from 'resourcery/openapi'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import type { Database } from './database.js'
import { german } from './german.js'
import { hashOf, isPassword } from './passwords.js'
import { mountTickets } from './tickets.js'

const Agent = z.object({ id: z.int(), name: z.string(), email: z.string(), role: z.enum(['lead', 'agent']) })
const NewAgent = Agent.omit({ id: true }).extend({ email: z.email().toLowerCase(), password: z.string().min(12) })
const Customer = z.object({ id: z.int(), name: z.string(), email: z.email().toLowerCase() })
const Category = z.object({ id: z.int(), name: z.string(), parentId: z.int().nullable() })

/** Makes the app; leads may do everything, agents work on tickets. */
export function helpDesk(db: Database, { secret, folder }: { secret: Uint8Array; folder: string }): Express {
  const app = express()
  mountRoutes(app, {
    route: '/login',
    name: 'login',
    routes: { signIn: {
      methods: ['POST'],
      route: '',
      input: z.object({ email: z.string().toLowerCase(), password: z.string() }),
      statuses: [401],
      handler: async (_req, _res, { email, password }) => {
        const agent = await db.selectFrom('agents').selectAll().where('email', '=', email).executeTakeFirst()
        if (!isPassword(password, agent) || !agent) throw new UnauthorizedError('Wrong e-mail or password')
        return { token: await issueToken('desk', { id: agent.id, role: agent.role }, { secret, expiresIn: 3600 }) }
      },
    } },
  })

  const desk = express.Router()
  const storage = localDisk(folder, { baseUrl: '/desk/files' })
  const roles = { lead: ['*'], agent: ['desk.tickets.*', 'desk.customers.*', 'desk.categories.list'] }
  app.use('/desk', auth('desk', { secret }), permission('desk', { roles }), desk)
  desk.use('/files', storage.serve())

  mountResource(desk, {
    app: 'desk',
    route: '/agents',
    name: 'agents',
    ...crud(kyselyStore(db, 'agents'), {
      input: NewAgent,
      output: Agent,
      before: { create: hashed, edit: hashed, store: hashed },
    }),
  })
  const customers = crud(kyselyStore(db, 'customers'), {
    input: Customer.omit({ id: true }),
    output: Customer,
    search: ['name', 'email'],
    sort: ['name'],
    conflicts: { tickets_customer: { message: 'The customer has tickets' } },
  })
  mountResource(desk, { app: 'desk', route: '/customers', name: 'customers', ...customers })
  const categories = crud(kyselyStore(db, 'categories'), {
    input: Category.omit({ id: true }),
    output: Category,
    tree: { parent: 'parentId', onDelete: 'restrict' },
  })
  mountResource(desk, { app: 'desk', route: '/categories', name: 'categories', ...categories })
  mountTickets(desk, db, storage, categories)

  app.use(openapiRouter(app, { title: 'Help desk', version: '1.0.0' }), notFound(),
    errorHandler({ messages: { de: german } }))
  return app
}

/** Replaces a password by its hash. */
function hashed({ password, ...agent }: Partial<z.output<typeof NewAgent>>) {
  return { ...agent, ...(password !== undefined && { passwordHash: hashOf(password) }) }
}
