import express, { type Express, type Request } from 'express'
import { auth, BusinessError, ConflictError, errorHandler, findOrFail, ForbiddenError, mountResource, mountRoutes,
  notFound, paginate, param, permission, reply, RequestParam, ValidationError } from 'resourcery'
import { sendCsv } from 'resourcery/csv'
import { z } from 'zod'

/** The faults between tenants, each with its route; every collection has one of them. */
export const TENANT_FAULTS = {
  list: 'GET /desk/books',
  show: 'GET /desk/cards/:id',
  store: 'PATCH /desk/desks/:id',
  edit: 'PUT /desk/events/:id',
  delete: 'DELETE /desk/files/:id',
  total: 'GET /desk/goals',
  export: 'POST /desk/hints/export',
  conflict: 'POST /desk/ideas',
  existence: 'GET /desk/jobs/:id',
  deleteMany: 'DELETE /desk/keys',
  ids: 'GET /desk/lists',
  reference: 'POST /desk/visits',
  stats: 'GET /desk/stats',
  nested: 'GET /desk/pages/:pageId/notes',
  single: 'GET /desk/badges/:id',
} as const

export type TenantFault = keyof typeof TENANT_FAULTS

interface Row {
  id: number
  tenantId: string
  name: string
}

const Shown = z.object({ id: z.int(), name: z.string() })
const Fields = z.object({ name: z.string().min(1).max(100) })
const Id = z.object({ id: param.int() })

const tenantOf = (req: Request): string => String(req.auth?.tenantId)

/** Makes an app of tenants, with these faults. */
export function tenantApp(faults: readonly TenantFault[]): Express {
  const app = express()
  const desk = express.Router()
  app.use('/desk', auth('desk', { secret: 'a secret of at least 32 bytes for tests' }),
    permission('desk', { roles: { member: ['*'] } }), desk)
  for (const fault of ['list', 'show', 'store', 'edit', 'delete', 'total', 'export', 'conflict', 'existence',
    'deleteMany', 'ids'] as const)
  {
    const [, , name = ''] = TENANT_FAULTS[fault].split(' ')[1]?.split('/') ?? []
    mountRows(desk, name, faults.includes(fault) ? fault : undefined)
  }
  const pages = mountRows(desk, 'pages', undefined)
  mountNotes(desk, pages, faults.includes('nested'))
  const rooms = mountRows(desk, 'rooms', undefined)
  mountResource(desk, { app: 'desk', route: '/visits', name: 'visits', handlers: {
    create: { input: z.object({ roomId: param.int() }), handler: (req, res, { roomId }) => {
      const isThere = rooms.some(({ id, tenantId }) =>
        id === roomId
        && (faults.includes('reference') || tenantId === tenantOf(req))
      )
      if (!isThere) throw new ValidationError({ roomId: ['No such room'] })
      return null
    } },
  } })
  mountRoutes(desk, { app: 'desk', route: '/stats', name: 'stats', routes: {
    show: { methods: ['GET'], route: '', handler: (req) => ({
      rooms: rooms.filter(({ tenantId }) => faults.includes('stats') || tenantId === tenantOf(req)).length,
    }) },
  } })
  mountRoutes(desk, { app: 'desk', route: '/badges', name: 'badges', routes: {
    show: { methods: ['GET'], route: '/:id', input: Id, output: Shown, handler: (req, _res, { id }) =>
      findOrFail(
        rooms.find((room) => room.id === id && (faults.includes('single') || room.tenantId === tenantOf(req))),
      ) },
  } })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return app
}

function mountRows(desk: express.Router, name: string, fault: TenantFault | undefined): Row[] {
  const rows: Row[] = ['one', 'two', 'one', 'two'].map((tenantId, index) => ({ id: index + 1, tenantId,
    name: `${name} ${index + 1}` })
  )
  const own = (req: Request): Row[] => rows.filter(({ tenantId }) => tenantId === tenantOf(req))
  const rowFor = (req: Request, id: number, action: TenantFault): Row => {
    const all = fault === action ? rows : own(req)
    const row = all.find((one) => one.id === id)
    if (fault === 'existence' && row === undefined && rows.some((one) => one.id === id)) throw new ForbiddenError()
    return findOrFail(row)
  }
  const checkFree = (req: Request, text: string | undefined, except?: number): void => {
    const all = fault === 'conflict' ? rows : own(req)
    if (all.some((row) => row.name === text && row.id !== except)) throw new ConflictError('The name is taken')
  }
  const change = (action: 'store' | 'edit') => ({
    input: z.object({ ...Id.shape, ...Fields.shape }),
    output: Shown,
    handler: (req: Request, _res: unknown, { id, name: text }: { id: number; name?: string }) => {
      const row = rowFor(req, id, action)
      checkFree(req, text, id)
      return Object.assign(row, text === undefined ? {} : { name: text })
    },
  })
  mountResource(desk, {
    app: 'desk',
    route: `/${name}`,
    name,
    handlers: {
      list: { input: z.object({ ids: param.list(param.int()).optional() }), output: z.array(Shown),
        handler: async (req: Request, _res: unknown, { ids }: { ids?: number[] | undefined }) => {
          const found = fault === 'list' || (fault === 'ids' && ids !== undefined) ? rows : own(req)
          const page = await paginate(found.filter(({ id }) => ids?.includes(id) ?? true), RequestParam.page(req))
          return fault === 'total'
            ? reply('ok', page.items, { total: rows.length, page: page.page, limit: page.limit })
            : page
        } },
      show: { input: Id, output: Shown, handler: (req, res, { id }) => rowFor(req, id, 'show') },
      create: { input: Fields, output: Shown, handler: (req, res, { name: text }) => {
        checkFree(req, text)
        const row = { id: Math.max(0, ...rows.map(({ id }) => id)) + 1, tenantId: tenantOf(req), name: text }
        rows.push(row)
        return row
      } },
      edit: change('edit'),
      store: change('store'),
      delete: { input: Id, handler: (req, res, { id }) => {
        rows.splice(rows.indexOf(rowFor(req, id, 'delete')), 1)
        return null
      } },
      deleteMany: (req) => {
        const found = RequestParam.ids(req, { of: param.int() }).map((id) => rowFor(req, id, 'deleteMany'))
        for (const row of found) rows.splice(rows.indexOf(row), 1)
        return reply('Deleted', null, { deleted: found.length })
      },
    },
    custom: {
      export: { methods: ['POST'], route: '/export', body: false, produces: 'text/csv',
        handler: (req, res) => sendCsv(res, fault === 'export' ? rows : own(req), { columns: ['id', 'name'] }) },
    },
  })
  return rows
}

/** Mounts the notes of pages. */
function mountNotes(desk: express.Router, pages: readonly Row[], isFaulty: boolean): void {
  const notes = pages.map(({ id }) => ({ id: id + 100, pageId: id, text: `note ${id}` }))
  const pageFor = (req: Request, id: number): Row =>
    findOrFail(pages.find((page) => page.id === id && (isFaulty || page.tenantId === tenantOf(req))))
  mountResource(desk, { app: 'desk', route: '/pages/:pageId/notes', name: 'pages.notes', handlers: {
    list: { input: z.object({ pageId: param.int() }), handler: (req, res, { pageId }) => {
      const page = pageFor(req, pageId)
      if (page.id < 0) throw new BusinessError('No page')
      return notes.filter((note) => note.pageId === page.id)
    } },
  } })
}
