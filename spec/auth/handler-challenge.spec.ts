import express from 'express'
import { auth, errorHandler, HttpError, mountRoutes, UnauthorizedError } from 'resourcery'
import { expect, it } from 'vitest'
import { serving } from '../support/http.js'

it('challenges by the scheme of the application where a handler throws a 401', async () => {
  const app = express()
  const verify = (): { id: number } => ({ id: 1 })
  app.use('/key', auth('desk', { verify }, { scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }))
  app.use('/basic', auth('old', { verify }, { scheme: { type: 'http', scheme: 'basic' } }))
  app.use('/token', auth('shop', { verify }))
  app.use('/open', auth('till', { verify }))
  const routes = (path: string, owner?: string, traits: object = {}): void =>
    void mountRoutes(app, {
      ...(owner !== undefined && { app: owner }),
      route: path,
      name: path.slice(1),
      can: false,
      ...traits,
      routes: {
        plain: { route: '/plain', handler: () => {
          throw new UnauthorizedError()
        } },
        own: { route: '/own', handler: () => {
          throw new UnauthorizedError('No', { challenge: 'Own realm="x"' })
        } },
        http: { route: '/http', handler: () => {
          throw new HttpError(401, 'No')
        } },
      },
    } as never)
  routes('/key', 'desk')
  routes('/basic')
  routes('/token', 'shop')
  routes('/open', 'till', { auth: false })
  routes('/none')
  app.use(errorHandler({ log: () => undefined }))
  const client = await serving(app)
  const challengeOf = async (path: string): Promise<unknown> => {
    const { status, headers } = await client.send('GET', path)
    return [status, headers.get('www-authenticate')]
  }
  expect(await challengeOf('/key/plain')).toEqual([401, 'ApiKey realm="desk"'])
  expect(await challengeOf('/key/http')).toEqual([401, 'ApiKey realm="desk"'])
  expect(await challengeOf('/key/own')).toEqual([401, 'Own realm="x"'])
  expect(await challengeOf('/basic/plain')).toEqual([401, 'Basic realm="old", charset="UTF-8"'])
  expect(await challengeOf('/token/plain')).toEqual([401, 'Bearer realm="shop"'])
  expect(await challengeOf('/token/own')).toEqual([401, 'Own realm="x"'])
  expect(await challengeOf('/open/plain')).toEqual([401, 'Bearer realm="till"'])
  expect(await challengeOf('/none/plain')).toEqual([401, 'Bearer'])
})
