import express, { type Express } from 'express'
import { auth, errorHandler, notFound, permission } from 'resourcery'
import { ACCESS_FAULTS, mountAccess, mountOutside } from './access.js'
import { ACCOUNT_FAULTS, accountRows, mountAccounts, mountSignIn } from './accounts.js'
import { DATA_FAULTS, mountData } from './data.js'
import { IDENTITY_FAULTS, mountIdentity } from './identity.js'
import { mountProducts, openProducts, PRODUCT_FAULTS } from './products.js'
import { mountRecords, RECORD_FAULTS } from './records.js'
import { mountReplies, REPLY_FAULTS } from './replies.js'
import type { Shelf } from './shelf.js'
import { doorRows, mountDoor, mountWorkflows, WORKFLOW_FAULTS } from './workflows.js'

/** The parts of the shop, each with its faults. */
export const PARTS = { replies: REPLY_FAULTS, access: ACCESS_FAULTS, data: DATA_FAULTS, identity: IDENTITY_FAULTS,
  products: PRODUCT_FAULTS, accounts: ACCOUNT_FAULTS, records: RECORD_FAULTS, workflows: WORKFLOW_FAULTS } as const

export type Part = keyof typeof PARTS

export interface Shop {
  readonly app: Express
  readonly snapshot: () => unknown
  readonly close: () => Promise<void>
}

/** Makes the app of a shop of which these parts are mounted, with these faults. */
export async function shopApp(parts: readonly Part[], faults: readonly string[]): Promise<Shop> {
  const has = (fault: string): boolean => faults.includes(fault)
  const app = express()
  const shop = express.Router()
  const shelves: Shelf[] = []
  let log: unknown[] = []
  const db = parts.includes('products') ? await openProducts() : undefined
  if (parts.includes('access')) mountOutside(app, has)
  if (parts.includes('accounts')) mountSignIn(app, has)
  if (parts.includes('workflows')) mountDoor(app, has)
  app.use('/shop', auth('shop', { secret: 'a secret of at least 32 bytes for tests' }), guard(), shop)
  if (parts.includes('replies')) shelves.push(...mountReplies(shop, has))
  if (parts.includes('access')) {
    const mounted = mountAccess(shop, has)
    shelves.push(...mounted.shelves)
    log = mounted.log
  }
  if (parts.includes('data')) shelves.push(...mountData(shop, has))
  if (parts.includes('identity')) shelves.push(...mountIdentity(shop, has))
  if (parts.includes('records')) shelves.push(...mountRecords(shop, has))
  if (parts.includes('accounts')) shelves.push(...mountAccounts(shop, has))
  if (parts.includes('workflows')) shelves.push(...mountWorkflows(shop, has))
  if (db !== undefined) mountProducts(shop, db, has)
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return { app,
    snapshot: () => ({ log, accounts: [accountRows(), doorRows()], tables: shelves.map(({ rows }) => rows) }),
    close: async () => db?.destroy() }
}

/** Admins may do everything, users may read and create, and do all to what is their own. */
function guard(): ReturnType<typeof permission> {
  return permission('shop', { allows: ({ role }, id) => role === 'admin' || /\.own|\.(?:list|show|create)$/.test(id) })
}
