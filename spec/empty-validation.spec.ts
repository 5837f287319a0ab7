import { describe, expect, it } from 'vitest'
import createError from 'http-errors'
import { BusinessError, HttpError, mountRoutes, reply, send, ValidationError } from 'resourcery'
import { inject } from 'resourcery/testing'
import type { Response } from 'express'
import { appWith } from './support/guarded-app.js'

const REFUSED: readonly [string, () => unknown][] = [
  ['BusinessError', () => new BusinessError('Too late', 422, { reason: 'order.late' })],
  ['HttpError', () => new HttpError(422, 'No')],
  ['ValidationError without fields', () => new ValidationError({}, 'No')],
  ['an error of http-errors', () => createError(422, 'No')],
]

/** Replies with what a handler throws or returns. */
async function replied(handler: (res: Response) => unknown, replacer?: (key: string, value: unknown) => unknown) {
  const app = appWith((router) => {
    router.set('json replacer', replacer)
    const route = { methods: 'POST', route: '/', handler: (_req: unknown, res: Response) => handler(res) } as const
    mountRoutes(router, { route: '/try', routes: { try: route } })
  })
  return (await inject(app, { method: 'POST', path: '/try' })).json as { readonly code: number; readonly data: unknown }
}

describe('a 422 without fields has an empty object as data', () => {
  it.each(REFUSED)('if %s is thrown', async (_what, make) => {
    expect(await replied(() => {
      throw make()
    })).toMatchObject({ code: 422, data: {} })
  })

  it('if a handler returns or sends it', async () => {
    expect(await replied(() => reply('No', null, {}, 422))).toMatchObject({ code: 422, data: {} })
    expect(await replied((res) => send(res, 'No', null, {}, 422))).toMatchObject({ code: 422, data: {} })
  })

  it('if a `json replacer` drops the data', async () => {
    const { data } = await replied(() => reply('No', null, {}, 422), (key, value) => key === 'data' ? undefined : value)
    expect(data).toEqual({})
  })

  it('and any other error has null', async () => {
    expect(await replied(() => {
      throw new BusinessError('Too late', 409)
    })).toMatchObject({ code: 409, data: null })
  })
})
