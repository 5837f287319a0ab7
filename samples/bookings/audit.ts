import type { Request, Router } from 'express'
import { mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import { callerOf, ofTenant } from './callers.js'
import type { Database } from './database.js'

/** The part of a hook's context that these hooks use; `store.db` is that of its transaction. */
export interface Context {
  readonly req: Request
  readonly action: string
  readonly store: { readonly db: Database }
}

/** Hooks that write each change into the audit, in the transaction of the change. */
export function audited(resource: string) {
  const createMany = async (rows: readonly { id: number }[], { req, action, store }: Context): Promise<void> => {
    const { id: userId, tenantId } = callerOf(req)
    const entry = { tenantId, userId: Number(userId), action: `${resource}.${action}` }
    const entries = rows.map(({ id }) => ({ ...entry, recordId: id }))
    await store.db.insertInto('audit').values(entries).execute()
  }
  const one = (row: { id: number }, context: Context): Promise<void> => createMany([row], context)
  return { create: one, edit: one, store: one, delete: one, createMany }
}

/** Mounts the audit, which nobody changes. */
export function mountAudit(desk: Router, db: Database): void {
  const Entry = z.object({ id: z.int(), userId: z.int(), action: z.string(), recordId: z.int(), at: z.date() })
  const audit = crud(kyselyStore(db, 'audit'), {
    input: z.object({}),
    output: Entry,
    scope: ofTenant,
    order: ['-id'],
    filters: { action: { eq: z.string() }, userId: { eq: param.int() } },
  })
  mountResource(desk, { app: 'desk', route: '/audit', name: 'audit', ...audit, actions: ['list', 'show'] })
}
