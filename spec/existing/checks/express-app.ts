import { expect } from 'vitest'
import { Client, type Reply, type SendOptions } from '../client.js'
import { checkEnvelopes } from '../envelopes.js'

const NOT_FOUND = '<h1>Not Found</h1>\n<h2>404</h2>'

/** Checks an app with sessions, views, CSRF tokens, multer and express-validator beside one resource. */
export async function checkExpressApp(url: string): Promise<void> {
  const stranger = new Client(url)
  const [ann, ben] = [await signIn(url, 'ann'), await signIn(url, 'ben')]
  await checkPages(stranger, ann)
  await checkForms(ann)
  await checkEnvelopes(stranger, [
    ['/api/notes', {}, 401, 'token_missing'],
    ['/api/notes/1', {}, 401, 'token_missing'],
    ['/api/nowhere', {}, 401, 'token_missing'],
    ['/api/notes', { json: { title: 'Milk' } }, 403, 'forbidden', { message: 'invalid csrf token' }],
  ])
  await checkEnvelopes(ben.client, [
    ['/api/notes', {}, 200],
    ['/api/notes/1', {}, 403, 'forbidden'],
    ['/api/notes', { json: { title: '' }, headers: ben.csrf }, 403, 'forbidden'],
  ])
  await checkEnvelopes(ann.client, [
    ['/api/notes', { json: { title: 'Bread' }, headers: ann.csrf }, 201, undefined, {
      data: { id: 2, title: 'Bread' },
    }],
    ['/api/notes', { body: 'title=Tea', headers: { ...ann.csrf, 'Content-Type': FORM } }, 201],
    ['/api/notes/2', { headers: { Accept: 'text/html' } }, 200, undefined, { data: { id: 2, title: 'Bread' } }],
    ['/api/notes?limit=1', {}, 200, undefined, { meta: { total: 3, page: 1, limit: 1 } }],
    ['/api/notes', { json: { title: 7 }, headers: ann.csrf }, 422, 'validation'],
    ['/api/notes', { body: '{"title":', headers: { ...ann.csrf, 'Content-Type': 'application/json' } }, 400,
      'unreadable'],
    ['/api/notes', { body: 'title', headers: { ...ann.csrf, 'Content-Type': 'text/plain' } }, 415, 'media_type'],
    ['/api/notes', { json: { title: 'x'.repeat(200_000) }, headers: ann.csrf }, 413, 'too_large'],
    ['/api/notes/9', {}, 404, 'not_found'],
    ['/api/nowhere', {}, 404, 'not_found'],
    ['/api/notes', { method: 'PUT', headers: ann.csrf }, 405, 'method'],
  ])
}

const FORM = 'application/x-www-form-urlencoded'

interface SignedIn {
  readonly client: Client
  readonly csrf: Readonly<Record<string, string>>
}

async function signIn(url: string, name: string): Promise<SignedIn> {
  const client = new Client(url)
  const body = `username=${name}&password=secret`
  const reply = await client.send('/login', { body, headers: { ...await tokenFor(client), 'Content-Type': FORM } })
  expect(reply.status).toBe(302)
  return { client, csrf: await tokenFor(client) }
}

async function tokenFor(client: Client): Promise<Readonly<Record<string, string>>> {
  const { json } = await client.send('/csrf')
  return { 'X-CSRF-Token': (json as { token: string }).token }
}

/** Checks that the pages of the app are HTML as before, with their session. */
async function checkPages(stranger: Client, { client }: SignedIn): Promise<void> {
  const shown = ({ status, type, text }: Reply): unknown => [status, type, text.trim()]
  const html = 'text/html; charset=utf-8'
  expect(shown(await stranger.send('/'))).toEqual([200, html, '<h1>Notes</h1>\n<p>Hello stranger</p>'])
  expect(shown(await client.send('/'))).toEqual([200, html, '<h1>Notes</h1>\n<p>Hello ann</p>'])
  for (const path of ['/nowhere', '/apiary', '/notes']) {
    expect(shown(await client.send(path))).toEqual([404, html, NOT_FOUND])
  }
  const refused = await stranger.send('/subscribe', { json: { email: 'ann@example.com' } })
  expect(shown(refused)).toEqual([403, html, '<h1>invalid csrf token</h1>\n<h2>403</h2>'])
}

/** Checks the app's own multer, express-validator and webhook. */
async function checkForms({ client, csrf }: SignedIn): Promise<void> {
  const send = async (path: string, options: SendOptions): Promise<unknown> => {
    const { status, json, text } = await client.send(path, { ...options, headers: { ...csrf, ...options.headers } })
    return [status, json ?? text]
  }
  expect(await send('/subscribe', { json: { email: 'ann@example.com' } })).toEqual([200, {
    subscribed: 'ann@example.com',
  }])
  expect(await send('/subscribe', { json: { email: 'ann' } })).toMatchObject([400, { errors: [{ path: 'email' }] }])
  const photo = new FormData()
  photo.append('photo', new Blob(['hello']), 'a.txt')
  expect(await send('/photos', { body: photo })).toEqual([200, { bytes: 5 }])
  expect(await send('/webhooks/shop', { body: '{"a":1}', headers: { 'X-Signature': 'x' } })).toEqual([401,
    'Unauthorized'])
}
