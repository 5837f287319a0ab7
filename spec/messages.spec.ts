import express, { type Express } from 'express'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { auth, errorHandler, issueToken, mountResource, mountRoutes, notFound, param, permission, RequestParam, upload,
  validate, type ClientMessage, type MessageKey } from 'resourcery'
import { BusinessError, ConflictError, NotFoundError, UnavailableError, ValidationError } from 'resourcery'
import type { ErrorHandlerOptions } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { served } from './serve/served.js'
import { raw, serving, type Client } from './support/http.js'

const log = (): void => undefined

/** Serves an app whose errors are answered with these messages. */
function speaking(messages: ErrorHandlerOptions['messages'], app: Express): Promise<Client> {
  return serving(app.use(notFound(), errorHandler({ messages, log })))
}

function failing(error: unknown): Express {
  return express().use((_req, _res, next) => next(error))
}

/** Returns the message and the data of the reply to an error. */
async function told(
  messages: ErrorHandlerOptions['messages'],
  error: unknown,
): Promise<[message: string, data: unknown]> {
  const { body } = await (await speaking(messages, failing(error))).get('/')
  return [body.message, body.data]
}

/** Mounts a resource that reads a schema, a table of rules, ids, a page and an upload. */
function reading(): Express {
  const app = express().use(express.json())
  const Item = z.strictObject({
    name: z.string().min(3),
    kind: z.enum(['a', 'b']),
    at: param.date(),
    code: z.string().regex(/SECRET/),
    size: z.int().min(1).max(9),
  })
  mountRoutes(app, {
    route: '',
    name: 'items',
    routes: {
      schema: { methods: 'POST', route: '/schema', input: Item, handler: () => null },
      rules: {
        methods: 'POST',
        route: '/rules',
        handler: (req) =>
          validate(RequestParam.body(req), {
            name: [['required', 'name.required']],
            age: [['required', 'age.required'], ['integer', 'age.integer']],
          }),
      },
      ids: { methods: 'GET', route: '/ids', handler: (req) => RequestParam.ids(req, { of: param.int(), max: 2 }) },
      page: { methods: 'GET', route: '/page', handler: (req) => RequestParam.page(req) },
      upload: {
        methods: 'POST',
        route: '/upload',
        use: [upload({ picture: { required: true } })],
        body: false,
        handler: () => null,
      },
      own: { methods: 'POST', route: '/own', body: false, handler: (req) => Item.parse(req.body) },
    },
  })
  return app
}

const german = {
  not_found: 'Nicht gefunden',
  method: 'Diese Methode ist hier nicht erlaubt',
  'unreadable.json': 'Der Inhalt ist kein gültiges JSON',
  'media_type.form': 'Der Inhalt muss multipart/form-data sein',
  'field.required': 'Pflichtfeld',
  'field.at_least.characters': 'Mindestens {min} Zeichen',
  'field.at_most': 'Höchstens {max}',
  'field.one_of': 'Eines von {values}',
  'field.instant': 'Muss ein Datum sein',
  'field.format': 'Falsches Format',
  'field.unknown': 'Unbekanntes Feld',
  'field.type.int': 'Muss eine ganze Zahl sein',
  'field.ids_missing': 'Mindestens eine Id angeben',
  'field.ids_too_many': 'Höchstens {max} Ids angeben',
  'field.file_missing': 'Eine Datei fehlt',
} as const satisfies Partial<Record<MessageKey, string>>

const bad = { name: 'x', kind: 'c', at: 'never', code: 'x', size: 10, more: 1 }
const badInGerman = {
  name: ['Mindestens 3 Zeichen'],
  kind: ['Eines von a, b'],
  at: ['Muss ein Datum sein'],
  code: ['Falsches Format'],
  size: ['Höchstens 9'],
  more: ['Unbekanntes Feld'],
}

describe('messages by key', () => {
  it('replace the default texts of replies and fields', async () => {
    const { get, post, send } = await speaking(german, reading())
    expect((await get('/nowhere')).body.message).toBe('Nicht gefunden')
    expect((await send('PATCH', '/ids')).body.message).toBe('Diese Methode ist hier nicht erlaubt')
    expect((await post('/schema', '{', { headers: { 'content-type': 'application/json' } })).body.message).toBe(
      'Der Inhalt ist kein gültiges JSON',
    )
    expect((await post('/upload', 'x', { headers: { 'content-type': 'text/plain' } })).body).toMatchObject({
      code: 415,
      message: 'Der Inhalt muss multipart/form-data sein',
    })
    for (const path of ['/schema', '/own']) {
      expect((await post(path, bad)).body).toEqual({
        code: 422,
        message: 'Mindestens 3 Zeichen',
        data: badInGerman,
        meta: { reason: 'validation' },
      })
    }
    expect((await get('/ids')).body).toMatchObject({
      message: 'Mindestens eine Id angeben',
      data: { ids: ['Mindestens eine Id angeben'] },
    })
    expect((await get('/ids?ids=1,2,3')).body.data).toEqual({ ids: ['Höchstens 2 Ids angeben'] })
    expect((await get('/ids?ids=x')).body.data).toEqual({ 'ids.0': ['Muss eine ganze Zahl sein'] })
    expect((await get('/page?limit=101')).body.data).toEqual({ limit: ['Höchstens 100'] })
    expect((await send('POST', '/upload', { headers: { 'content-length': '0' } })).body.data).toEqual({
      picture: ['Eine Datei fehlt'],
    })
  })

  it('do not replace texts of the application', async () => {
    const { post } = await speaking(german, reading())
    expect((await post('/rules', { age: 'x' })).body).toMatchObject({
      message: 'name.required',
      data: { name: ['name.required'], age: ['age.integer'] },
    })
    expect(await told({ 'not_found.one': 'Nicht gefunden' } as never, new NotFoundError('No such user'))).toEqual([
      'No such user',
      null,
    ])
    expect(await told(german, new ValidationError({ name: ['Required'] }))).toEqual(['Required', {
      name: ['Required'],
    }])
  })

  it('are found by key, then by the reason of the application, then by the status', async () => {
    const app = (): Express => express().use(express.json({ limit: 5 }), express.urlencoded({ parameterLimit: 1 }))
    const large = async (messages: ErrorHandlerOptions['messages']): Promise<string> =>
      (await (await speaking(messages, app())).post('/', { long: 'long' })).body.message
    expect(await large({ 'too_large.body': 'Zu lang', too_large: 'Zu groß' })).toBe('Zu lang')
    expect(await large({ too_large: 'Zu groß' })).toBe('Zu groß')
    expect(await large({ 'too_large.form': 'Formular zu lang' })).toBe('The body is too large')
    const down = Object.assign(new UnavailableError('billing'), { reason: 'billing_down' })
    expect(await told({ billing_down: 'Keine Rechnung', unavailable: 'Nicht da' }, down)).toEqual([
      'Keine Rechnung',
      null,
    ])
    expect(await told({ unavailable: 'Nicht da' }, down)).toEqual(['Nicht da', null])
    expect(await told({ 'stock.empty': 'Ausverkauft' }, new BusinessError('Sold out', 409, { reason: 'stock.empty' })))
      .toEqual(['Ausverkauft', null])
  })

  it('can replace the message of a whole validation error', async () => {
    const { post } = await speaking({ ...german, validation: 'Bitte prüfen' }, reading())
    expect((await post('/schema', bad)).body).toMatchObject({ message: 'Bitte prüfen', data: badInGerman })
    expect(await told({ validation: 'Bitte prüfen' }, new ValidationError({}))).toEqual(['Bitte prüfen', {}])
  })

  it('may be functions of the values, for languages with several plural forms', async () => {
    const { post } = await speaking({
      'field.at_least.characters': ({ min }) => (min === 3 ? 'Drei Zeichen' : 'Viele Zeichen'),
    }, reading())
    expect((await post('/schema', bad)).body.data).toMatchObject({ name: ['Drei Zeichen'] })
  })

  it('replace those of permissions and conflicts', async () => {
    const secret = 'a secret of at least 32 bytes, for tests'
    const app = express().use(auth('desk', { secret }), permission('desk', { roles: { clerk: [] } }))
    mountResource(app, { app: 'desk', route: '/users', name: 'users', handlers: { list: () => [] } })
    const { get } = await speaking({
      forbidden: 'Verboten',
      token_missing: 'Bitte anmelden',
      token_invalid: 'Ungültig',
    }, app)
    expect((await get('/users')).body.message).toBe('Bitte anmelden')
    expect((await get('/users', { token: 'x' })).body.message).toBe('Ungültig')
    expect(
      (await get('/users', { token: await issueToken('desk', { id: 1, role: 'clerk' }, { secret, expiresIn: 60 }) }))
        .body
        .message,
    )
      .toBe('Verboten')
    expect(await told({ conflict: 'Konflikt' }, new ConflictError(undefined, { fields: { email: ['Taken'] } })))
      .toEqual(['Konflikt', { email: ['Taken'] }])
  })
})

describe('messages under serve', () => {
  const texts = {
    'unreadable.host_missing': 'Kein Host',
    'unreadable.request': 'Unlesbar',
    'unreadable.proxy': 'Kein Proxy',
    'unreadable.expectation': 'Unerwartet',
    unavailable: 'Nicht da',
  }
  const messageOf = (reply: string): string =>
    (JSON.parse(reply.slice(reply.indexOf('{'))) as { message: string }).message

  it("are those of the app's error handler even for requests that do not reach the app", async () => {
    const app = express().use('/slow', () => undefined).use(errorHandler({ messages: texts, log }))
    const { url } = await served(app, { deadline: 0.05, log })
    expect(messageOf(await raw(url, 'GET / HTTP/1.1\r\n\r\n'))).toBe('Kein Host')
    expect(messageOf(await raw(url, 'no HTTP\r\n\r\n'))).toBe('Unlesbar')
    expect(messageOf(await raw(url, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'))).toBe('Kein Proxy')
    expect(messageOf(await raw(url, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n'))).toBe(
      'Unerwartet',
    )
    expect(messageOf(await raw(url, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'))).toBe('Nicht da')
  })

  it('are the default ones if the function needs a request and there is none', async () => {
    const { url } = await served(express().use(errorHandler({ messages: (_message, req) => req.get('x-text'), log })), {
      log,
    })
    expect(messageOf(await raw(url, 'no HTTP\r\n\r\n'))).toBe('The request cannot be read')
    expect(messageOf(await raw(url, 'GET / HTTP/1.1\r\nX-Text: Anders\r\n\r\n'))).toBe('Anders')
  })
})

describe('messages from a function', () => {
  const chosen: ErrorHandlerOptions['messages'] = ({ key }, req) =>
    req.acceptsLanguages('en', 'de') === 'de' ? (german as Partial<Record<string, string>>)[key ?? ''] : undefined

  it('are chosen for each request', async () => {
    const { post, get } = await speaking(chosen, reading())
    const headers = { 'accept-language': 'de-AT, de;q=0.9, en;q=0.5' }
    expect((await get('/ids', { headers })).body.message).toBe('Mindestens eine Id angeben')
    expect((await get('/ids')).body.message).toBe('Provide at least one id')
    const { body } = await post('/schema', bad, { headers })
    expect(body.data).toMatchObject({
      name: ['Mindestens 3 Zeichen'],
      at: ['Muss ein Datum sein'],
    })
    expect(JSON.stringify(body)).not.toContain('SECRET')
    expect(body.message).toBe((body.data as { name: string[] }).name[0])
    expect((await post('/schema', bad)).body.data).toMatchObject({
      name: ['Must have at least 3 characters'],
      more: ['Unknown field'],
    })
  })

  it('depend on key, reason, values and error', async () => {
    const seen: ClientMessage[] = []
    const errors: unknown[] = []
    const error = new ConflictError('Taken', { reason: 'user.taken', fields: { email: ['Is taken'] } })
    await told((message, _req, thrown) => {
      seen.push(message)
      errors.push(thrown)
      return undefined
    }, error)
    expect(seen).toEqual([
      {
        key: undefined,
        message: 'Is taken',
        values: {},
        status: 409,
        reason: undefined,
        field: 'email',
      },
      {
        key: undefined,
        message: 'Taken',
        values: {},
        status: 409,
        reason: 'user.taken',
        field: undefined,
      },
    ])
    expect(errors).toEqual([error, error])
    seen.length = 0
    const { get } = await speaking((message) => void seen.push(message), reading())
    await get('/ids?ids=1,2,3')
    expect(seen).toMatchObject([
      {
        key: 'field.ids_too_many',
        message: 'Provide at most 2 ids',
        values: { max: 2 },
        status: 422,
        reason: undefined,
        field: 'ids',
      },
      { key: undefined, message: 'Provide at most 2 ids', status: 422, reason: 'validation', field: undefined },
    ])
  })

  it('have their placeholders filled, and translate texts of the application', async () => {
    const texts: Readonly<Record<string, string>> = {
      'age.integer': 'Ganze Zahl',
      'field.ids_too_many': '{max} Ids, nicht mehr {other}',
    }
    const { get, post } = await speaking(({ key, message }) => texts[key ?? message], reading())
    expect((await post('/rules', { name: 'x', age: 'x' })).body).toMatchObject({
      message: 'Ganze Zahl',
      data: { age: ['Ganze Zahl'] },
    })
    expect((await get('/ids?ids=1,2,3')).body.data).toEqual({ ids: ['2 Ids, nicht mehr {other}'] })
  })

  it.each<[string, () => unknown]>([
    ['returns nothing', () => undefined],
    ['returns null', () => null],
    ['returns a number', () => 42],
    ['returns an object without a message', () => ({ text: 'x' })],
    ['throws', () => {
      throw new Error('no catalogue')
    }],
    ['rejects', () => Promise.reject(new Error('no catalogue'))],
    ['promises', () => Promise.resolve('later')],
  ])('are the default ones if the function %s', async (_what, messages) => {
    expect(await told(messages as never, new ValidationError({ name: ['Too short'] }))).toEqual(['Too short', {
      name: ['Too short'],
    }])
  })
})

describe('the option messages', () => {
  it.each<[string, unknown, string]>([
    ['a string', 'Oops', 'must be an object of texts'],
    ['null', null, 'must be an object of texts'],
    ['a list', ['Oops'], 'must be an object of texts'],
    ['an unknown key of a field', { 'field.requierd': 'x' }, 'there is no message `field.requierd`'],
    [
      'an unknown placeholder',
      { 'field.at_most': 'Höchstens {maximum}' },
      'has no placeholder {maximum}. It has {max}.',
    ],
    [
      'a placeholder where there is none',
      { forbidden: '{name} darf das nicht' },
      'has no placeholder {name}. It has none.',
    ],
  ])('refuses %s', (_what, messages, sentence) => {
    expect(() => errorHandler({ messages: messages as never })).toThrow(
      expect.objectContaining({ code: 'option_messages', message: expect.stringContaining(sentence) as string }),
    )
  })

  it('types its keys, and accepts any reason of the application', () => {
    expectTypeOf<'field.ids_too_many'>().toExtend<MessageKey>()
    expectTypeOf<{ 'user.has_posts': string; not_found: string }>().toExtend<ErrorHandlerOptions['messages']>()
    // @ts-expect-error -- a message is a string or a function
    errorHandler({ messages: { not_found: 42 } })
  })
})

describe('a message about one of several records', () => {
  const items = (): Express => {
    const app = express()
    const Item = z.object({ code: z.string() })
    const store = memoryStore<{ id: number; code: string }>({ key: 'id', unique: ['code'],
      rows: [{ id: 1, code: 'a' }] })
    const Out = Item.extend({ id: z.int() })
    mountResource(app, { route: '/items', name: 'items', ...crud(store, { input: Item, output: Out, bulk: true }) })
    return app
  }
  const body = { items: [{ code: 'b' }, { code: 'a' }] }

  it('contains the replaced message of that record', async () => {
    const german = ({ key }: ClientMessage): string | undefined =>
      key === 'conflict' ? 'Schon vorhanden' : key === 'field.taken' ? 'Vergeben' : undefined
    const client = await speaking(german, items())
    expect((await client.post('/items/bulk', body)).body).toMatchObject({
      code: 409,
      message: 'items.1: Vergeben',
      data: { 'items.1.code': ['Vergeben'] },
    })
  })

  it('is replaced as a whole too', async () => {
    const client = await speaking({ 'conflict': 'Schon vorhanden', 'conflict.item': 'Bei {item}: {message}' }, items())
    expect((await client.post('/items/bulk', body)).body.message).toBe('Bei items.1: Schon vorhanden')
    const plain = await speaking({}, items())
    expect((await plain.post('/items/bulk', body)).body.message).toBe('items.1: Already taken')
  })
})
