import express, { type Request } from 'express'
import { auth, envelope, errorHandler, formatData, fromHandler, localDisk, notFound, paginate, param, permissionsOf,
  problem, reply, RequestParam, routesOf, serve, toPage, upload, validate } from 'resourcery'
import { ApiError, createClient } from 'resourcery/client'
import { filter, raw } from 'resourcery/crud'
import { mcpRouter } from 'resourcery/mcp'
import { openapi, openapiRouter, type OpenApiDocument } from 'resourcery/openapi'
import { authProvider, dataProvider } from 'resourcery/react-admin'
import { authProvider as refineProvider } from 'resourcery/refine'
import { inject } from 'resourcery/testing'
import { z } from 'zod'

/*
 * A module that exports what the functions of the package return, and functions that return it: compiled as
 * declared.ts. A type that has no name in the package is an error here.
 */
export const app = express()

export const replied = () => reply('Welcome', { id: 1 })
export const page = toPage([{ id: 1 }], { page: 1, limit: 1, total: 1 })
export const paged = () => paginate([{ id: 1 }], 20)
export const formatted = formatData(page, ({ id }) => id)
export const names = () => formatData(page, ({ id }) => String(id))
export const perhaps = (isPage: boolean) => (isPage ? page : replied())

export const queryOf = (req: Request) => RequestParam.query(req)
export const bodyOf = (req: Request) => RequestParam.body(req)
export const paramsOf = (req: Request) => RequestParam.params(req)
export const pageOf = (req: Request) => RequestParam.page(req, { limit: 10 })
export const idsOf = (req: Request) => RequestParam.ids(req, { of: param.int() })
export const fileOf = (req: Request) => RequestParam.file(req, 'photo')
export const filesOf = (req: Request) => RequestParam.files(req, 'photo')

export const rules = { title: [['required', 'A title is needed']] } as const
export const checked = (value: unknown) => validate(value, { count: [['integer', 'A whole number']] })
export const numbers = { amount: param.decimal({ scale: 2 }), big: param.bigint(), on: param.calendarDate() }

export const secret = 'a secret of this file with enough bytes'
export const signedIn = auth('admin', { secret, load: ({ id }) => ({ id }) })
export const disk = localDisk('uploads', { baseUrl: '/files' })
export const photos = upload({ photo: { types: ['image/png'] } })
export const enveloped = envelope({ success: ({ data }) => ({ data }) })
export const problems = problem()
export const handled = [notFound(), errorHandler()] as const
export const adopted = fromHandler
export const served = () => serve(app)
export const routes = routesOf(app)
export const permissions = permissionsOf(app)
export const allPermissions = () => permissions.flatMap(({ children }) => children)

export const late = filter(param.bool(), (isLate) => (isLate ? [['id', '>', 1]] : []))
export const rawCondition = raw(({ id }: { id: number }) => id > 1)
export const schema = z.object({ page: param.int().default(1), tags: param.list(z.string()) })

export const described = openapi(app, { title: 'x', version: '1' })
export const { paths } = described
export const withServer = (document: OpenApiDocument) => ({ ...document, servers: [{ url: '/api' }] })
export const documents = openapiRouter(app, { title: 'x', version: '1' })
export const agents = mcpRouter(app, { name: 'x', version: '1' })
export const provider = authProvider('/admin', { login: '/login' })
export const { getList } = dataProvider('/admin')
export const { login } = refineProvider('/admin', { login: '/login' })
export const client = createClient<object>({ url: '', routes: [] })
export const injected = () => inject(app, { method: 'GET', path: '/' })
export class OwnError extends ApiError {}
