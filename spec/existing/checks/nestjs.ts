import { expect } from 'vitest'
import { Client, type Reply } from '../client.js'
import { checkEnvelopes } from '../envelopes.js'

/** Checks an application of NestJS with a resource of a module and one behind a controller. */
export async function checkNest(url: string): Promise<void> {
  const [stranger, eve] = [new Client(url), new Client(url, { 'X-User': 'eve' })]
  const [ann, ben] = [new Client(url, { 'X-User': 'ann' }), new Client(url, { 'X-User': 'ben' })]
  await checkControllers(stranger, ann)
  for (const one of [stranger, eve]) await checkEnvelopes(one, [['/api/notes', {}, 401, 'token_invalid']])
  for (const path of ['/api/notes', '/desk/tasks']) {
    await checkEnvelopes(ben, [
      [path, {}, 200],
      [path, { json: { title: '' } }, 403, 'forbidden'],
    ])
    await checkEnvelopes(ann, [
      [path, { json: { title: 'Tea' } }, 201],
      [`${path}?limit=1`, {}, 200],
      [`${path}/1`, { method: 'PATCH', json: { title: 'Tea and milk' } }, 200],
      [path, { json: {} }, 422, 'validation', { data: { title: ['Required'] } }],
      [path, { body: 'Tea', headers: { 'Content-Type': 'text/plain' } }, 415, 'media_type'],
      [`${path}/9`, {}, 404, 'not_found'],
      [`${path}/x`, {}, 422, 'validation'],
      [path, { method: 'PUT' }, 405, 'method'],
    ])
  }
  await checkEnvelopes(ann, [
    ['/api/notes', { body: '{', headers: { 'Content-Type': 'application/json' } }, 400, 'unreadable'],
    ['/api/nowhere', {}, 404, 'not_found'],
    ['/desk/nowhere', {}, 404, 'not_found'],
  ])
}

/** Checks that guards, controllers and the 404 of Nest reply as before. */
async function checkControllers(stranger: Client, ann: Client): Promise<void> {
  const shown = ({ status, json }: Reply): unknown => [status, json]
  const refused = { message: 'Sign in first', error: 'Unauthorized', statusCode: 401 }
  expect(shown(await stranger.send('/me'))).toEqual([401, refused])
  expect(shown(await stranger.send('/desk/tasks'))).toEqual([401, refused])
  expect(shown(await ann.send('/me'))).toEqual([200, { id: 'ann', role: 'staff' }])
  expect(shown(await ann.send('/nowhere'))).toMatchObject([404, { message: 'Cannot GET /nowhere', statusCode: 404 }])
  expect((await ann.send('/me', { body: '{', headers: { 'Content-Type': 'application/json' } })).json).toMatchObject({
    statusCode: 400,
  })
}
