import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { envelope, errorHandler, HttpError, mountResource, notFound, problem, routeManifest, serve } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'
import { decode, makeApp, Note, OWN } from './support/own-envelope.js'
import * as reactAdmin from 'resourcery/react-admin'
import * as refine from 'resourcery/refine'

type Api = Pick<ReturnType<typeof makeApp>, 'notes' | 'odd'>

async function start(): Promise<{ readonly url: string; readonly app: Express }> {
  const { app } = makeApp()
  const { url, close } = await serve(app, { port: 0, signals: false })
  onTestFinished(() => close())
  return { url, app }
}

describe('consumers of another envelope', () => {
  it('are a client with `decode`: data, meta, reasons and messages by field', async () => {
    const { url, app } = await start()
    const api = createClient<Api>({ url, routes: routeManifest(app), decode })
    expect(await api.notes.list({ limit: 1 })).toEqual({
      ok: true,
      code: 200,
      message: 'ok',
      data: [{ id: 1, title: 'Milk' }],
      meta: { total: 2, page: 1, limit: 1 },
    })
    expect(await api.notes.create({ title: '' })).toEqual({
      ok: false,
      code: 422,
      message: 'Must have at least 1 character',
      data: { title: ['Must have at least 1 character'] },
      meta: { reason: 'validation' },
    })
    const titles: string[] = []
    for await (const { title } of api.notes.all({ limit: 1 })) titles.push(title)
    expect(titles).toEqual(['Milk', 'Tea'])
  })

  it('get no envelope for a body that `decode` refuses, with its error as the cause', async () => {
    const { url, app } = await start()
    const api = createClient<Api>({ url, routes: routeManifest(app), decode })
    expect(await api.odd.list()).toMatchObject({
      ok: false,
      code: 0,
      meta: { reason: 'http_200', cause: { message: 'no body of ours' } },
    })
  })

  it('are the provider of react-admin with `decode`', async () => {
    const { url } = await start()
    const provider = reactAdmin.dataProvider(url, { decode })
    expect(await provider.getOne('notes', { id: 2 })).toEqual({ data: { id: 2, title: 'Tea' } })
    expect(await provider.getList('notes', { pagination: { page: 1, perPage: 1 }, filter: {} }))
      .toMatchObject({ total: 2 })
    await expect(provider.create('notes', { data: { title: '' } })).rejects.toMatchObject({
      status: 422,
      body: { errors: { title: 'Must have at least 1 character' } },
    })
  })

  it('are the provider of refine with `decode`', async () => {
    const { url } = await start()
    const provider = refine.dataProvider(url, { decode })
    expect(await provider.getList({ resource: 'notes' })).toMatchObject({ total: 2 })
    await expect(provider.getOne({ resource: 'notes', id: 9 })).rejects.toMatchObject({ statusCode: 404 })
  })
})

const INFO = { title: 'Notes', version: '1.0.0' }

interface Described {
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: object }>>
}

function operationIn(document: object, path: string, method: string): Described {
  return (document as { paths: Record<string, Record<string, Described>> }).paths[path]?.[method] ?? { responses: {} }
}

function responseIn(document: object, name: string): unknown {
  return (document as { components: { responses: Record<string, unknown> } }).components.responses[name]
}

describe('a document of another envelope', () => {
  it('has the schemas of its bodies, with the media types, and its errors for examples', () => {
    const document = openapi(makeApp().app, INFO)
    const { responses } = operationIn(document, '/notes/{id}', 'get')
    expect(responses['200']?.content).toEqual({
      'application/json': {
        schema: { type: 'object', properties: { result: { $ref: '#/components/schemas/Note' } }, required: ['result'] },
      },
    })
    expect(responses['404']).toEqual({ $ref: '#/components/responses/NotFound' })
    expect(responseIn(document, 'NotFound')).toMatchObject({
      content: {
        'application/json': {
          schema: { properties: { error: { properties: { message: { type: 'string' } } } } },
          example: { error: { message: 'Not found', reason: 'not_found', fields: null } },
        },
      },
    })
  })

  it('describes each route by the envelope that its requests pass last', () => {
    const app = express()
    const route = (at: string, name: string) => ({ route: at, name, handlers: { list: () => [] } })
    mountResource(app, route('/default', 'plain'))
    app.use('/problems', envelope(problem()))
    mountResource(app, route('/problems', 'problems'))
    mountResource(app, route('/other', 'other'))
    const document = openapi(app, INFO)
    const reference = (path: string): unknown => operationIn(document, path, 'get').responses['500']
    expect(reference('/default')).toEqual({ $ref: '#/components/responses/InternalError' })
    expect(reference('/other')).toEqual({ $ref: '#/components/responses/InternalError' })
    expect(reference('/problems')).toEqual({ $ref: '#/components/responses/InternalError2' })
    expect(responseIn(document, 'InternalError')).toHaveProperty(['content', 'application/json'])
    expect(responseIn(document, 'InternalError2')).toHaveProperty(['content', 'application/problem+json', 'example'], {
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'Something went wrong',
      reason: 'internal',
    })
  })

  it('is made anew when an envelope is added', () => {
    const app = express()
    mountResource(app, { route: '/a', name: 'a', handlers: { list: () => [] } })
    const before = openapi(app, INFO)
    const parent = express().use(envelope(OWN)).use(app)
    expect(operationIn(before, '/a', 'get').responses['200']).not.toEqual(
      operationIn(openapi(parent, INFO), '/a', 'get').responses['200'],
    )
  })

  it('leaves bodies open without `schema`', () => {
    const app = express().use(envelope({ success: ({ data }) => data }))
    mountResource(app, { route: '/a', name: 'a', handlers: { list: () => [] } })
    const { responses } = operationIn(openapi(app, INFO), '/a', 'get')
    expect(responses['200']?.content).toEqual({
      'application/json': { schema: { description: 'A body in an envelope of the application' } },
    })
  })
})

describe('the preset `problem`', () => {
  it('sends errors as problems of RFC 9457, and successes as before', async () => {
    const app = express().use(envelope(problem({ type: (reason) => `https://api.example/${reason}` })))
    const rows = [{ id: 1, title: 'Milk' }]
    const options = { input: z.object({ title: z.string().min(1) }), output: Note }
    mountResource(app, { route: '/notes', name: 'notes', ...crud(memoryStore({ key: 'id', rows }), options) })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { url, close } = await serve(app, { port: 0, signals: false })
    onTestFinished(() => close())
    const refused = await fetch(`${url}/notes`, { method: 'POST' })
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(await refused.json()).toEqual({
      type: 'https://api.example/validation',
      title: 'Unprocessable Content',
      status: 422,
      detail: 'Required',
      reason: 'validation',
      errors: { title: ['Required'] },
    })
    expect(await (await fetch(`${url}/notes/1`)).json()).toMatchObject({ code: 200, data: { id: 1 } })
  })

  it('has the id of the request, and a title for a status without a phrase', async () => {
    const app = express().use(envelope(problem()))
    app.use((req, _res, next) => {
      Object.assign(req, { id: 'r-1' })
      next()
    })
    app.get('/left', () => {
      throw new HttpError(499, 'The client has left')
    })
    app.use(errorHandler({ log: () => undefined }))
    const { status, json } = await inject(app, { method: 'GET', path: '/left' })
    expect(status).toBe(499)
    expect(json).toEqual({ type: 'about:blank', title: 'Error', status: 499, detail: 'The client has left',
      reason: 'failed', requestId: 'r-1' })
  })

  it('refuses options that it does not have', () => {
    expect(() => problem({ typ: 'x' } as never)).toThrow(/`typ`/)
    expect(() => problem({ type: 'https://api.example' } as never)).toThrow(/`type` of problem/)
  })
})
