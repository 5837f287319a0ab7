import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { param } from 'resourcery'
import * as reactAdmin from 'resourcery/react-admin'
import * as refine from 'resourcery/refine'
import { RequestParam } from 'resourcery'
import { mountResource } from 'resourcery'
import type { ResourceOptions } from '../../lib/client/providers/resources.js'
import { serving } from '../support/http.js'
import { fileOf } from '../support/multipart.js'

const Photo = z.object({
  id: z.int(),
  title: z.string(),
  year: z.int().nullable(),
  tags: z.array(z.string()),
  bytes: z.int(),
})
const input = z.object({
  title: z.string().min(2, 'Too short'),
  year: param.int().nullable().default(null),
  tags: param.list(z.string()).default([]),
})
const files = { image: { types: ['image/png'] } }

/** Serves photos: both writing actions declare files, so that they refuse JSON. */
async function photos(options: ResourceOptions) {
  const store = memoryStore<z.infer<typeof Photo>>({
    key: 'id',
    rows: [{ id: 1, title: 'Sea', year: 2020, tags: ['a'], bytes: 0 }, {
      id: 2,
      title: 'Sky',
      year: null,
      tags: [],
      bytes: 0,
    }],
  })
  const app = express()
  const types: string[] = []
  app.use((req, _res, next) => {
    if (req.method !== 'GET') types.push(`${req.method} ${String(req.headers['content-type']).split(';')[0] ?? ''}`)
    next()
  })
  const bytesOf = (req: express.Request): number => RequestParam.file(req, 'image')?.size ?? 0
  const made = crud(store, {
    input,
    output: Photo,
    before: {
      create: (photo, { req }) => ({ ...photo, bytes: bytesOf(req) }),
      store: (photo, { req }) => ({ ...photo, bytes: bytesOf(req) }),
    },
  })
  const { create, store: update } = made.handlers
  mountResource(app, {
    route: '/photos',
    name: 'photos',
    ...made,
    handlers: { ...made.handlers, create: { ...create, files }, store: { ...update, files } },
  })
  app.use(errorHandler({ log: () => undefined }))
  const { url } = await serving(app)
  const settings = { resources: { photos: options }, tokens: { get: () => null, set: () => undefined } }
  return { types, ra: reactAdmin.dataProvider(url, settings), refine: refine.dataProvider(url, settings) }
}

const image = (): File => new File([new Uint8Array(fileOf('png', 700))], 'a.png', { type: 'image/png' })

describe('a resource with `multipart`', () => {
  it('sends a form, with and without a file', async () => {
    const { ra, types } = await photos({ multipart: true })
    expect((await ra.create('photos', { data: { title: 'Plain', year: null, tags: ['x'], image: null } })).data)
      .toEqual({ id: 3, title: 'Plain', year: null, tags: ['x'], bytes: 0 })
    expect(
      (await ra.create('photos', {
        data: { title: 'Pictured', year: 2021, image: { rawFile: image(), src: 'blob:x' } },
      }))
        .data,
    )
      .toMatchObject({ year: 2021, bytes: 700 })
    expect((await ra.update('photos', { id: 1, data: { title: 'Lake' }, previousData: {} })).data).toMatchObject({
      title: 'Lake',
      year: 2020,
      bytes: 0,
    })
    expect((await ra.update('photos', { id: 1, data: { image: image() }, previousData: {} })).data).toMatchObject({
      title: 'Lake',
      bytes: 700,
    })
    expect((await ra.updateMany('photos', { ids: [1, 2], data: { title: 'Both' } })).data).toEqual([1, 2])
    expect(new Set(types)).toEqual(new Set(['POST multipart/form-data', 'PATCH multipart/form-data']))
  })

  it('sends a form in refine', async () => {
    const { refine: provider } = await photos({ multipart: ['create', 'update'] })
    expect((await provider.create({ resource: 'photos', variables: { title: 'Plain' } })).data).toMatchObject({
      title: 'Plain',
      bytes: 0,
    })
    expect(
      (await provider.createMany({
        resource: 'photos',
        variables: [{ title: 'One' }, { title: 'Two', image: image() }],
      }))
        .data,
    )
      .toMatchObject([{ bytes: 0 }, { bytes: 700 }])
    expect((await provider.update({ resource: 'photos', id: 1, variables: { title: 'Lake' } })).data).toMatchObject({
      title: 'Lake',
    })
    expect((await provider.updateMany({ resource: 'photos', ids: [1], variables: { title: 'River' } })).data)
      .toMatchObject([{ title: 'River' }])
  })

  it('rejects with the messages of the API by field', async () => {
    const { ra } = await photos({ multipart: true })
    await expect(ra.create('photos', { data: { title: 'x' } })).rejects.toMatchObject({
      status: 422,
      body: { errors: { title: 'Too short' } },
    })
  })

  it('refuses an object, which a form cannot contain, before sending a request', async () => {
    const { ra, types } = await photos({ multipart: true })
    for (const place of [{ x: 1 }, [{ x: 1 }]]) {
      await expect(ra.create('photos', { data: { title: 'Plain', place } })).rejects.toThrow(
        new TypeError('A form cannot contain the object in `place` of `photos`'),
      )
      await expect(ra.updateMany('photos', { ids: [1], data: { place } })).rejects.toThrow(TypeError)
    }
    expect(types).toEqual([])
  })

  it('sends a form for the listed methods only', async () => {
    const { ra, types } = await photos({ multipart: ['create'] })
    await ra.create('photos', { data: { title: 'Plain' } })
    await expect(ra.update('photos', { id: 1, data: { title: 'Lake' }, previousData: {} })).rejects.toMatchObject({
      status: 415,
    })
    expect(types).toEqual(['POST multipart/form-data', 'PATCH application/json'])
  })
})

describe('a resource without `multipart`', () => {
  it('sends a form only for a record with a file', async () => {
    const { ra, types } = await photos({})
    await expect(ra.create('photos', { data: { title: 'Plain' } })).rejects.toMatchObject({ status: 415 })
    expect((await ra.create('photos', { data: { title: 'Pictured', year: null, image: image() } })).data).toMatchObject(
      { year: null, bytes: 700 },
    )
    expect(types).toEqual(['POST application/json', 'POST multipart/form-data'])
  })
})
