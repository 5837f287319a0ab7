import express, { type Express } from 'express'
import { errorHandler, localDisk, notFound, permission } from 'resourcery'
import { openapiRouter } from 'resourcery/openapi'
import { mountAudit } from './audit.js'
import { mountLogin, signIn } from './callers.js'
import type { Database } from './database.js'
import { german } from './german.js'
import { mountInvoices } from './invoices.js'
import { mountPeople } from './people.js'
import { mountRooms } from './rooms.js'

interface Settings {
  readonly secret: Uint8Array
  /** The folders of the attachments, and of the panel where it is built. */
  readonly folder: string
  readonly panel?: string | undefined
}

/** Makes the app: rooms that several tenants let, each for themselves. */
export function bookings(db: Database, { secret, folder, panel }: Settings): Express {
  const app = express()
  if (panel !== undefined) app.use('/panel', express.static(panel))
  const desk = express.Router()
  const signedIn = signIn(db, secret)
  mountLogin(app, db, secret)
  app.use('/desk', signedIn, permission('desk'), desk)

  mountPeople(app, desk, db, signedIn)
  mountInvoices(desk, db, localDisk(folder, { baseUrl: '/files' }), mountRooms(desk, db))
  mountAudit(desk, db)

  app.use(openapiRouter(app, { title: 'Bookings', version: '1.0.0' }), notFound(),
    errorHandler({ messages: { de: german } }))
  return app
}
