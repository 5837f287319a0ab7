import type { Request, Router } from 'express'
import { sql, type ExpressionBuilder } from 'kysely'
import { BusinessError, findOrFail, mountResource, param, RequestParam, ValidationError } from 'resourcery'
import type { LocalDisk } from 'resourcery'
import { crud, filter, raw, type Referenced } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import type { Database, Tables } from './database.js'

const Comment = z.object({ id: z.int(), ticketId: z.int(), agentId: z.int(), text: z.string(), createdAt: z.date() })
const Attachment = z.object({ id: z.int(), ticketId: z.int(), name: z.string(), size: z.int(), url: z.string() })
const NewTicket = z.object({
  team: z.string(),
  customerId: param.int(),
  categoryId: param.int().nullable().default(null),
  title: z.string().trim().min(1),
  tags: z.array(z.string()).default([]),
  dueOn: param.calendarDate().nullable().default(null),
  minutes: param.int().default(0),
})
const Ticket = z.object({
  id: z.int(),
  ...NewTicket.shape,
  agentId: z.int().nullable(),
  status: z.string(),
  customer: z.object({ id: z.int(), name: z.string() }).optional(),
  comments: z.array(Comment).optional(),
})

/** Mounts the tickets, and their comments and attachments. */
export function mountTickets(desk: Router, db: Database, storage: LocalDisk, categories: Referenced<number>): void {
  const customers = kyselyStore(db, 'customers')
  const tickets = crud(kyselyStore(db, 'tickets'), {
    input: NewTicket,
    output: Ticket,
    sort: ['title', 'dueOn', 'status'],
    order: ['dueOn', '-id'],
    search: ['title'],
    filters: {
      status: { oneOf: z.string(), ne: z.string() },
      dueOn: { range: param.calendarDate(), isNull: true },
      agentId: { eq: param.int(), isNull: true },
      customerId: { eq: param.int() },
    },
    customFilters: { tag: filter(z.string(), (tag) => [raw(sql`tags ? ${tag}`)]) },
    scope: (req) => [ofTeamsOf(req)],
    ifMatch: 'optional',
    version: 'version',
    softDelete: { field: 'deletedAt' },
    aggregates: { minutes: 'sum' },
    conflicts: { tickets_customer: { field: 'customerId', message: 'No such customer' } },
    references: { categoryId: { of: categories, message: 'No such category' } },
    include: {
      customer: async (rows) => {
        const found = await customers.find(rows.map(({ customerId }) => customerId))
        return new Map(rows.map((row) => [row.id, found.find(({ id }) => id === row.customerId)]))
      },
      comments: async (rows) => {
        const ids = rows.map(({ id }) => id)
        const found = await db.selectFrom('comments').selectAll().where('ticketId', 'in', ids).orderBy('id').execute()
        return new Map(ids.map((id) => [id, found.filter(({ ticketId }) => ticketId === id)]))
      },
    },
    members: {
      assign: {
        input: z.object({ agentId: param.int().min(1).max(2_147_483_647) }), // as its column
        change: async ({ team }, { agentId }, { store: { db } }) => {
          const member = db.selectFrom('members').selectAll().where('team', '=', team).where('agentId', '=', agentId)
          const found = await member.executeTakeFirst()
          if (found === undefined) throw new ValidationError({ agentId: ['Not an agent of this team'] })
          return { agentId, status: 'assigned' }
        },
      },
      close: {
        change: ({ status }) => {
          if (status === 'closed') throw new BusinessError('Already closed', 409, { reason: 'ticket.closed' })
          return { status: 'closed' }
        },
      },
    },
  })
  mountResource(desk, { app: 'desk', route: '/tickets', name: 'tickets', ...tickets })

  const parent = { arg: 'ticketId', column: 'ticketId', of: tickets } as const
  const comments = crud(kyselyStore(db, 'comments'), {
    input: Comment.pick({ text: true }),
    output: Comment,
    parent,
    before: { create: (comment, { req }) => ({ ...comment, agentId: Number(req.auth?.id) }) },
  })
  mountResource(desk, { app: 'desk', route: '/tickets/:ticketId/comments', name: 'tickets.comments', ...comments })

  const attachments = crud(kyselyStore(db, 'attachments'), {
    input: z.object({}),
    output: Attachment,
    parent,
    transform: ({ path, ...attachment }) => ({ ...attachment, url: storage.publicUrl(path) }),
    before: {
      create: async (_fields, { req }) => {
        const file = findOrFail(RequestParam.file(req, 'file'))
        const { path } = await file.saveTo(storage)
        return { name: file.name, type: file.type, size: file.size, path }
      },
    },
    afterCommit: { delete: ({ path }) => storage.deleteFile(path) },
  })
  const { handlers: { list, create, delete: remove } } = attachments
  mountResource(desk, {
    app: 'desk',
    route: '/tickets/:ticketId/attachments',
    name: 'tickets.attachments',
    handlers: { list, create: { ...create, files: { file: { maxBytes: 5_000_000, required: true } } }, delete: remove },
  })
}

/** Selects the tickets of the caller's teams. */
const ofTeamsOf = (req: Request) =>
  raw((eb: ExpressionBuilder<Tables, 'tickets'>) =>
    eb('tickets.team', 'in',
      eb.selectFrom('members').select('members.team').where('members.agentId', '=', Number(req.auth?.id)))
  )
