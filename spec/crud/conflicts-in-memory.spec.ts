import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountResource } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { serving } from '../support/http.js'

const Page = z.object({ id: z.int(), team: z.int(), slug: z.string(), code: z.string() })

async function connect(conflicts: Record<string, { field: 'team' | 'slug' | 'code'; message?: string }>) {
  const rows = [{ id: 1, team: 1, slug: 'home', code: 'a' }]
  const store = memoryStore({ key: 'id', rows, unique: [['team', 'slug'], 'code'] })
  const app = express()
  mountResource(app, {
    route: '/pages',
    name: 'pages',
    ...crud(store, { input: Page.omit({ id: true }), output: Page, conflicts }),
  })
  return serving(app.use(errorHandler({ log: () => undefined })))
}

describe('`conflicts` in a store that names no constraints', () => {
  it('gives a constraint on several columns the field and the message of the entry among its columns', async () => {
    const { post } = await connect({
      pages_team_slug: { field: 'slug', message: 'The team has such a page' },
      pages_code: { field: 'code', message: 'The code is taken' },
    })
    expect((await post('/pages', { team: 1, slug: 'home', code: 'b' })).body).toMatchObject({
      code: 409,
      message: 'The team has such a page',
      data: { slug: ['The team has such a page'] },
    })
    expect((await post('/pages', { team: 2, slug: 'home', code: 'a' })).body).toMatchObject({
      code: 409,
      data: { code: ['The code is taken'] },
    })
  })

  it('names all fields where two entries could be meant', async () => {
    const { post } = await connect({ one: { field: 'slug', message: 'One' }, other: { field: 'team', message: 'Two' } })
    const { body } = await post('/pages', { team: 1, slug: 'home', code: 'b' })
    expect([body.code, Object.keys(body.data as object).sort()]).toEqual([409, ['slug', 'team']])
  })
})
