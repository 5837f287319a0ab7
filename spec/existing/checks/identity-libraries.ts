import { SignJWT } from 'jose'
import { expect } from 'vitest'
import { Client } from '../client.js'
import { checkEnvelopes, type Case } from '../envelopes.js'

const NOBODY = [['/notes', {}, 401, 'token_missing'], ['/notes/1', { method: 'DELETE' }, 401, 'token_missing']] as const

/** Checks resources behind better-auth, passport-jwt, CASL and casbin. */
export async function checkIdentityLibraries(url: string): Promise<void> {
  for (const name of ['better', 'jwt', 'casl', 'casbin']) await checkEnvelopes(new Client(`${url}/${name}`), NOBODY)
  await checkBetterAuth(`${url}/better`)
  await checkPassport(`${url}/jwt`)
  await checkRights(url)
}

async function checkBetterAuth(url: string): Promise<void> {
  const ben = new Client(url)
  const account = { name: 'Ben', email: 'ben@example.com', password: 'correct horse' }
  expect(await ben.send('/auth/sign-up/email', { json: account })).toMatchObject({ status: 200 })
  await checkEnvelopes(ben, [
    ['/notes', { json: { title: 'Tea' } }, 201],
    ['/notes', { json: { title: '' } }, 422, 'validation'],
  ])
  expect((await ben.send('/auth/get-session')).json).toMatchObject({ user: { email: account.email } })
  expect((await ben.send('/auth/sign-out', { json: {}, headers: { Origin: 'http://localhost:3000' } })).status).toBe(
    200,
  )
  await checkEnvelopes(ben, NOBODY)
  await checkEnvelopes(new Client(url, { Cookie: 'better-auth.session_token=forged' }), NOBODY)
}

async function checkPassport(url: string): Promise<void> {
  const as = async (subject: string, expires = '5m'): Promise<Client> => {
    const token = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(subject).setExpirationTime(expires)
    const signed = await token.sign(new TextEncoder().encode('only for this page: 32 bytes or more'))
    return new Client(url, { Authorization: `Bearer ${signed}` })
  }
  await checkEnvelopes(await as('ann'), [
    ['/notes', { json: { title: 'Tea' } }, 201, undefined, { data: { authorId: 'ann', id: 1, title: 'Tea' } }],
    ['/notes', { json: { title: 1 } }, 422, 'validation'],
  ])
  await checkEnvelopes(await as('ben'), [['/notes', {}, 200], ['/notes', { json: {} }, 403, 'forbidden']])
  await checkEnvelopes(await as('ann', '1 minute ago'), [['/notes', {}, 401, 'token_expired']])
  await checkEnvelopes(await as('eve'), [['/notes', {}, 401, 'token_invalid']])
}

async function checkRights(url: string): Promise<void> {
  const [ann, ben] = [new Client(url, { 'X-User': 'ann' }), new Client(url, { 'X-User': 'ben' })]
  const changes = (name: string, id: number): Case[] => [
    [`/${name}/notes/${id}`, { method: 'PATCH', json: { title: 'Changed' } }, 200],
    [`/${name}/notes/${id}`, { method: 'PATCH', json: { title: '' } }, 422, 'validation'],
    [`/${name}/notes/${id}`, { method: 'DELETE' }, 200],
  ]
  await checkEnvelopes(ben, [
    ['/casl/notes', { json: { title: 'Tea' } }, 201, undefined, { data: { authorId: 'ben', id: 2, title: 'Tea' } }],
    ['/casl/notes/1', { method: 'DELETE' }, 403, 'forbidden'],
    ...changes('casl', 2),
    ['/casbin/notes', { json: { title: '' } }, 403, 'forbidden'],
  ])
  await checkEnvelopes(ann, [
    ...changes('casl', 1),
    ['/casbin/notes', { json: { title: 'Tea' } }, 201],
    ...changes('casbin', 1),
  ])
}
