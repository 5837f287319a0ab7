import type { LocalDisk } from 'resourcery'
import type { Database } from './database/schema.js'

/** What the routes work with. */
export interface Services {
  readonly db: Database
  /** Signs the tokens of both applications. */
  readonly secret: string
  /** Where avatars are kept. */
  readonly storage: LocalDisk
}
