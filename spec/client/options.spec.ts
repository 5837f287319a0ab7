import { expect, it } from 'vitest'
import { createClient } from 'resourcery/client'
import * as reactAdmin from 'resourcery/react-admin'
import * as refine from 'resourcery/refine'

/** Options as a program without types passes them. */
const misspelt = { tokn: 'abc' } as object
const auth = { login: '/login', ...misspelt }

it.each([
  ['createClient', () => createClient({ url: '', routes: [], ...misspelt }), 'There is no option tokn'],
  [
    'dataProvider of react-admin',
    () => reactAdmin.dataProvider('', misspelt),
    'dataProvider: there is no option `tokn`. The options are resources, tokens, fetch, decode.',
  ],
  ['dataProvider of refine', () => refine.dataProvider('', misspelt), 'dataProvider: there is no option `tokn`.'],
  [
    'a resource of dataProvider',
    () => refine.dataProvider('', { resources: { posts: { filtres: ['status'] } as object } }),
    'The resource posts: there is no option `filtres`. The options are path, key, filters,',
  ],
  ['authProvider of react-admin', () => reactAdmin.authProvider('', auth), 'authProvider: there is no option `tokn`.'],
  ['authProvider of refine', () => refine.authProvider('', auth), 'The options are loginPage, homePage, login,'],
])('refuses an unknown option of %s', (_where, create, message) => {
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

it.each([
  ['dataProvider without a URL', () => reactAdmin.dataProvider(undefined as never),
    'The URL of a provider must be a string, not undefined'],
  ['dataProvider with a URL object', () => refine.dataProvider(new URL('http://a.test') as never),
    'The URL of a provider must be a string, not http://a.test/'],
  ['authProvider without a login', () => reactAdmin.authProvider('', {} as never),
    'authProvider: `login` must be a string, not undefined'],
  ['authProvider with a list as its login', () => refine.authProvider('', { login: ['/login'] } as never),
    'authProvider: `login` must be a string, not /login'],
])('refuses %s', (_where, create, message) => {
  expect(create).toThrow(new TypeError(message))
})

it('takes all options', () => {
  const api = { tokens: { get: () => null, set: () => undefined }, fetch, decode: undefined }
  const session = { login: '/in', logout: '/out', identity: '/me', permissions: '/may', app: 'a',
    credentials: undefined }
  const posts = {
    path: '/p',
    key: 'id',
    filters: [],
    bulk: true,
    cursor: true,
    maxLimit: 5,
    uploads: {},
    multipart: true,
    localTimes: [],
  }
  createClient({ url: '', routes: [], token: 't', tokens: api.tokens, onToken: () => undefined, fetch,
    decode: undefined })
  for (const { dataProvider } of [reactAdmin, refine]) dataProvider('', { ...api, resources: { posts } })
  reactAdmin.authProvider('', { ...api, ...session })
  expect(refine.authProvider('', { ...api, ...session, loginPage: '/', homePage: '/' })).toHaveProperty('login')
})
