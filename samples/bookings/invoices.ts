import type { Router } from 'express'
import { sql } from 'kysely'
import { findOrFail, mountResource, param, RequestParam, type LocalDisk } from 'resourcery'
import { crud, type Referenced } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import { audited } from './audit.js'
import { ofTenant } from './callers.js'
import type { Database } from './database.js'

const Money = param.decimal({ scale: 2 })
const NewLine = z.object({
  invoiceId: param.int(),
  bookingId: param.int().nullable().default(null),
  text: z.string().min(1),
  quantity: param.int().default(1),
  price: Money,
})
const Line = NewLine.omit({ invoiceId: true }).extend({ id: z.int() })
const NewInvoice = z.object({ customerId: param.int(), number: z.string().min(1), issuedOn: param.calendarDate() })
const Invoice = NewInvoice.extend({ id: z.int(), total: Money })
const Attachment = z.object({ id: z.int(), name: z.string(), type: z.string(), size: z.int() })

interface References {
  readonly customers: Referenced<number>
  readonly bookings: Referenced<number>
}

/** Mounts invoices, which are written together with their lines, and their attachments. */
export function mountInvoices(desk: Router, db: Database, storage: LocalDisk,
  { customers, bookings }: References): void
{
  const lines = crud(kyselyStore(db, 'lines'), {
    input: NewLine,
    output: Line,
    scope: ofTenant,
    references: {
      invoiceId: (): Referenced<number> => invoices,
      bookingId: { of: bookings, message: 'No such booking' },
    },
  })
  const invoices = crud(kyselyStore(db, 'invoices'), {
    input: NewInvoice,
    output: Invoice,
    scope: ofTenant,
    after: audited('invoices'),
    ifMatch: 'optional',
    version: 'version',
    sort: ['number', 'issuedOn'],
    order: ['-issuedOn'],
    search: ['number'],
    export: true,
    filters: { customerId: { eq: param.int() }, issuedOn: { range: param.calendarDate() } },
    references: { customerId: { of: customers, message: 'No such customer' } },
    conflicts: {
      invoices_number: { field: 'number', message: 'There is an invoice with this number' },
      attachments_invoice: { message: 'The invoice has attachments' },
    },
    children: { lines: { of: lines, column: 'invoiceId', min: 1 } },
    // Sums are exact: PostgreSQL adds decimals, and they stay strings of digits up to the client.
    transformMany: async (rows, _req, { db }) => {
      const total = sql<string>`sum(quantity * price)::text`.as('total')
      const sums = await db.selectFrom('lines').select(['invoiceId', total]).groupBy('invoiceId')
        .where('invoiceId', 'in', rows.map(({ id }) => id)).execute()
      return rows.map((row) => ({ ...row, total: sums.find(({ invoiceId }) => invoiceId === row.id)?.total ?? '0.00' }))
    },
  })
  mountResource(desk, { app: 'desk', route: '/invoices', name: 'invoices', ...invoices })

  const { custom, handlers: { list, show, create, delete: remove } } = crud(kyselyStore(db, 'attachments'), {
    input: z.object({}),
    output: Attachment,
    scope: ofTenant,
    after: audited('attachments'),
    parent: { arg: 'invoiceId', column: 'invoiceId', of: invoices },
    before: {
      create: async (_fields, { req }) => {
        const file = findOrFail(RequestParam.file(req, 'file'))
        const { path } = await file.saveTo(storage)
        return { name: file.name, type: file.type, size: file.size, path }
      },
    },
    afterCommit: { delete: ({ path }) => storage.deleteFile(path) },
    custom: {
      file: {
        route: '/:id/file',
        load: true,
        produces: 'application/octet-stream',
        handler: (req, res, _args, { path }) => storage.send(req, res, path),
      },
    },
  })
  const files = { file: { maxBytes: 5_000_000, required: true } }
  mountResource(desk, {
    app: 'desk',
    route: '/invoices/:invoiceId/attachments',
    name: 'invoices.attachments',
    custom,
    handlers: { list, show, create: { ...create, files }, delete: remove },
  })
}
