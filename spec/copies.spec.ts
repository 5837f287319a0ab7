import express from 'express'
import createError from 'http-errors'
import { describe, expect, it, vi } from 'vitest'
import * as one from 'resourcery'
import * as crudOfOne from 'resourcery/crud'
import { serving } from './support/http.js'

vi.resetModules()
const two = await import('resourcery')
const crudOfTwo = await import('resourcery/crud')

const secret = 'at least 32 bytes that are only here for a test'
const notes = { route: '/notes', name: 'notes', handlers: { list: () => [] } }
const MIXED = { name: 'MisuseError', code: 'copies_mixed' }

describe('errors of another copy of the package', () => {
  it('are instances of the class of the same name, and of no other', () => {
    expect(one.NotFoundError).not.toBe(two.NotFoundError)
    const error: unknown = new one.NotFoundError()
    expect([two.NotFoundError, two.HttpError, Error, createError.HttpError].map((type) => error instanceof type))
      .toEqual([true, true, true, true])
    expect([two.ForbiddenError, two.MisuseError].map((type) => error instanceof type)).toEqual([false, false])
    expect(new crudOfOne.CheckViolation({}) instanceof crudOfTwo.ColumnViolation).toBe(true)
    expect(new crudOfOne.UniqueViolation() instanceof crudOfTwo.ForeignKeyViolation).toBe(false)
  })

  it('leave classes that extend them as they are', () => {
    class Gone extends two.HttpError {}
    expect(new one.HttpError(410, 'Gone') instanceof Gone).toBe(false)
    expect(new Gone(410, 'Gone') instanceof one.HttpError).toBe(true)
    expect(new Gone(410, 'Gone') instanceof Gone).toBe(true)
  })

  it.each([null, undefined, 'text', 1, {}, Object.create(null)])('are not %j', (value) => {
    expect(value instanceof one.HttpError).toBe(false)
  })

  it('get the reply of their own, translated too', async () => {
    const app = express()
    app.get('/missing', () => one.findOrFail(null))
    app.get('/taken', () => {
      throw new one.ConflictError(undefined, { fields: { name: ['Taken'] } })
    })
    app.use(two.errorHandler({ messages: { not_found: 'Nicht gefunden' } }))
    const { get } = await serving(app)
    expect((await get('/missing')).body).toMatchObject({ code: 404, message: 'Nicht gefunden' })
    expect((await get('/taken')).body).toMatchObject({ code: 409, data: { name: ['Taken'] } })
  })
})

describe('a program with two copies of the package', () => {
  it('is refused by `serve` if `ready` is of the other one', async () => {
    const app = express().get('/ready', two.ready())
    await expect(one.serve(app, { port: 0, signals: false })).rejects.toMatchObject(MIXED)
    const { close } = await two.serve(app, { port: 0, signals: false })
    await close()
  })

  it('may use each in an app of its own', async () => {
    for (const copy of [one, two]) {
      const app = express().use(copy.auth('desk', { secret }), copy.permission('desk'))
      copy.mountResource(app, { ...notes, app: 'desk' })
      const { close } = await copy.serve(app, { port: 0, signals: false })
      await close()
    }
  })

  it('cannot serve with one the routes that the other has mounted', async () => {
    const app = express()
    one.mountResource(app, notes)
    await expect(two.serve(app, { port: 0 })).rejects.toMatchObject({
      ...MIXED,
      message: expect.stringContaining('two copies of resourcery: ') as unknown,
    })
    await expect(one.serve(express().use('/api', app), { port: 0, signals: false }).then(({ close }) => close()))
      .resolves
      .toBeUndefined()
  })

  it('cannot serve with one what a guard of the other protects', async () => {
    const inner = express.Router().use(two.auth('desk', { secret }))
    await expect(one.serve(express().use('/inner', inner), { port: 0 })).rejects.toMatchObject(MIXED)
  })

  it('cannot mount with one behind a guard of the other', () => {
    const app = express().use(two.auth('desk', { secret }))
    expect(() => one.mountResource(app, notes)).toThrow(expect.objectContaining(MIXED))
    for (const place of ['use', 'guards'] as const) {
      expect(() => one.mountResource(express(), { ...notes, [place]: two.permission('desk') })).toThrow(
        expect.objectContaining(MIXED),
      )
    }
  })

  it('cannot list or document with one the routes of the other', () => {
    const app = express()
    one.mountResource(app, notes)
    expect(() => two.routesOf(app)).toThrow(expect.objectContaining(MIXED))
  })

  it('gets an error for a request that a guard of one and a route of the other meet', async () => {
    const router = express.Router()
    one.mountResource(router, notes)
    const errors: unknown[] = []
    const app = express().use(two.auth('desk', { secret }), two.permission('desk'), router)
    app.use(two.errorHandler({ log: (error) => errors.push(error) }))
    const { get } = await serving(app)
    expect((await get('/notes')).status).toBe(500)
    expect(errors).toMatchObject([MIXED])
  })
})
