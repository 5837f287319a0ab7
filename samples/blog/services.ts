import type { Handler } from 'express'
import type { LocalDisk } from 'resourcery'
import type { Database } from './database/schema.js'
import type { Stores } from './stores.js'

/** The services that the routes use. */
export interface Services {
  readonly db: Database
  readonly stores: Stores
  /** Signs the tokens of all applications. */
  readonly secret: string
  /** Where avatars are kept. */
  readonly storage: LocalDisk
  /** Serves the admin panel, where there is one. */
  readonly panel?: Handler | undefined
  /** Sends mail for the application of DuxLite's client; without it there is no such application. */
  readonly sendMail?: ((to: string, text: string) => void) | undefined
}
