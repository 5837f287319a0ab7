import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { Client } from '../client.js'
import { checkEnvelopes } from '../envelopes.js'

/** Checks Yoga, tRPC and socket.io beside a resource on one server. */
export async function checkPlatforms(url: string): Promise<void> {
  const [stranger, ann, ben] = [new Client(url), new Client(url, { 'X-User': 'ann' }),
    new Client(url, { 'X-User': 'ben' })]
  await checkEnvelopes(stranger, [
    ['/api/notes', {}, 401, 'token_missing'],
    ['/graphql', { json: { query: '{ caller }' } }, 401, 'token_missing'],
    ['/trpc/titles', {}, 401, 'token_missing'],
  ])
  await checkEnvelopes(ben, [['/api/notes', {}, 200], ['/api/notes', { json: {} }, 403, 'forbidden']])
  await checkEnvelopes(ann, [
    ['/api/notes', { json: {} }, 422, 'validation'],
    ['/api/notes', { body: '{', headers: { 'Content-Type': 'application/json' } }, 400, 'unreadable'],
    ['/api/nowhere', {}, 404, 'not_found'],
    ['/nowhere', {}, 404, 'not_found'],
  ])
  await checkGraphql(ann)
  await checkClients(url)
}

/** Runs the clients of tRPC and socket.io in a process of their own, since they are installed for this suite alone. */
async function checkClients(url: string): Promise<void> {
  const file = fileURLToPath(new URL('clients.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file, url])
  expect(stdout).toBe('tRPC ok\nsocket.io by polling ok\nsocket.io by websocket ok\n')
}

async function checkGraphql(ann: Client): Promise<void> {
  expect(await ann.send('/graphql', { json: { query: '{ caller titles }' } })).toMatchObject({
    status: 200,
    json: { data: { caller: 'ann', titles: ['Milk'] } },
  })
  expect((await ann.send('/graphql', { json: { query: '{ nothing }' } })).json).toMatchObject({ errors: [{}] })
}
