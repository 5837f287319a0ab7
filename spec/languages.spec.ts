import { readdirSync } from 'node:fs'
import express, { type Express } from 'express'
import createError from 'http-errors'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BusinessError, errorHandler, mountResource, mountRoutes, NotFoundError, notFound, param, send,
  ValidationError } from 'resourcery'
import type { CompleteDictionary, ErrorHandlerOptions } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { de } from 'resourcery/messages/de'
import { fr } from 'resourcery/messages/fr'
import { pl } from 'resourcery/messages/pl'
import { zh } from 'resourcery/messages/zh'
import { FIELDS } from '../lib/core/base/messages/field-texts.js'
import { fill, formOf, placeholdersIn, textFor, type Plurals } from '../lib/core/base/messages/messages.js'
import { REPLIES, SUCCESSES } from '../lib/core/base/messages/reply-texts.js'
import { served } from './serve/served.js'
import { serving } from './support/http.js'

const ENGLISH: Readonly<Record<string, string | Plurals>> = { ...SUCCESSES, ...REPLIES, ...FIELDS }
const LANGUAGES = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ja', 'zh']

async function dictionaryOf(language: string): Promise<CompleteDictionary> {
  const exported = (await import(`../lib/entries/messages/${language}.ts`)) as Record<string, CompleteDictionary>
  expect(Object.keys(exported)).toEqual([language])
  return exported[language] as CompleteDictionary
}

const formsOf = (text: unknown): string[] => typeof text === 'string' ? [text] : Object.values(text as Plurals)

describe('the dictionaries', () => {
  it('are one for each of ten languages', () => {
    const files = readdirSync(new URL('../lib/entries/messages', import.meta.url))
    expect(files.sort()).toEqual(LANGUAGES.map((language) => `${language}.ts`).sort())
  })

  it.each(LANGUAGES)('of %s have each key, with its placeholders', async (language) => {
    const dictionary = await dictionaryOf(language)
    expect(Object.keys(dictionary).sort()).toEqual(Object.keys(ENGLISH).sort())
    for (const [key, text] of Object.entries(dictionary)) {
      const [wanted = []] = formsOf(ENGLISH[key]).slice(-1).map(placeholdersIn)
      for (const form of formsOf(text)) expect([key, placeholdersIn(form).sort()]).toEqual([key, wanted.sort()])
    }
    expect(() => errorHandler({ messages: { [language]: dictionary } })).not.toThrow()
  })

  it.each(LANGUAGES)('of %s have a form for each plural of the language, and no text twice the length',
    async (language) => {
      const rules = new Intl.PluralRules(language)
      for (const [key, text] of Object.entries(await dictionaryOf(language))) {
        const shown = formOf(text as Plurals, { max: 5 }, rules)
        expect([key, shown.trim(), shown.length < 125]).toEqual([key, shown, true])
        if (typeof text !== 'object') continue
        // Whole numbers below a million.
        const needed = new Set([0, 1, 2, 3, 5, 11, 21, 100].map((count) => rules.select(count)))
        expect([key, [...needed].filter((rule) => rule !== 'other' && !Object.hasOwn(text, rule))]).toEqual([key, []])
      }
    })

  it('have a form for one where English has one, and English where they have one', async () => {
    const dictionaries = await Promise.all(['de', 'es', 'fr', 'nl', 'pt'].map(dictionaryOf))
    const forms = (dictionary: object): string[] =>
      Object.entries(dictionary).flatMap(([key, text]) => typeof text === 'string' ? [] : [key]).sort()
    const inEnglish = forms(ENGLISH)
    expect(inEnglish).toEqual(expect.arrayContaining(['field.csv_cells', 'field.ids_too_many', 'field.tree_depth']))
    const all = new Set(dictionaries.flatMap(forms))
    expect([...all].filter((key) => !inEnglish.includes(key))).toEqual([])
    expect(inEnglish.filter((key) => !all.has(key))).toEqual([])
    expect(textFor('field.ids_too_many', { max: 1 })).toBe('Provide at most 1 id')
    expect(textFor('field.decimal_scale', { scale: 1 })).toBe('Must have at most 1 digit after the point')
    expect(textFor('field.csv_cells', { cells: 1, columns: 2 })).toBe('This line has 1 column, the first line 2')
  })

  it('choose the plural form by the rules of the language', () => {
    const text = pl['field.at_most.characters'] as Plurals
    const rules = new Intl.PluralRules('pl')
    const texts = [1, 2, 5, 22].map((max) => fill(formOf(text, { max }, rules), { max }))
    expect(texts).toEqual([
      'Może mieć najwyżej 1 znak',
      'Może mieć najwyżej 2 znaki',
      'Może mieć najwyżej 5 znaków',
      'Może mieć najwyżej 22 znaki',
    ])
  })
})

const Note = z.object({ title: z.string().min(3), kind: z.enum(['a', 'b']), code: z.string() })

type Conflicts = Readonly<Record<string, { readonly field: 'code'; readonly message: string }>>

function notes(messages: ErrorHandlerOptions['messages'], conflicts: Conflicts = {}): Express {
  const app = express().use(express.json())
  const store = memoryStore<z.output<typeof Note> & { id: number }>({ key: 'id', unique: ['code'] })
  mountResource(app, {
    route: '/notes',
    name: 'notes',
    ...crud(store, { input: Note, output: Note.extend({ id: z.int() }), bulk: true, conflicts }),
  })
  mountRoutes(app, {
    route: '',
    name: 'more',
    routes: {
      sent: { methods: 'GET', route: '/sent', handler: (_req, res) => send(res, 'Sold out', null) },
      own: { methods: 'GET', route: '/own', message: 'Done', handler: () => 1 },
      tagged: {
        methods: 'GET',
        route: '/tagged',
        handler: (_req, res) => {
          res.set('Content-Language', 'es')
          return 1
        },
      },
      missing: { methods: 'GET', route: '/missing', handler: () => Promise.reject(new NotFoundError('No such note')) },
      rule: {
        methods: 'GET',
        route: '/rule',
        handler: () => Promise.reject(new BusinessError('Sold out', 409, { reason: 'stock.empty' })),
      },
      fields: {
        methods: 'GET',
        route: '/fields',
        handler: () => Promise.reject(new ValidationError({ title: ['Please, a title'] })),
      },
      id: { methods: 'GET', route: '/id', query: z.object({ id: param.int() }), handler: () => null },
    },
  })
  return app.use(notFound(), errorHandler({ messages, log: () => undefined }))
}

const own = { 'Sold out': 'Ausverkauft', 'Done': 'Fertig', 'Please, a title': 'Bitte einen Titel' }

describe.each([['plain Express', serving], ['serve', served]])('dictionaries under %s', (_name, start) => {
  const speaking = async (messages: ErrorHandlerOptions['messages'], conflicts?: Conflicts) => {
    const { url } = await start(notes(messages, conflicts))
    return async (path: string, language: string | undefined, body?: unknown) => {
      const headers = { ...(language !== undefined && { 'accept-language': language }),
        'content-type': 'application/json' }
      const reply = await fetch(`${url}${path}`, {
        headers,
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      const { message, data } = await reply.json() as { message: string; data: unknown }
      return {
        message,
        data,
        status: reply.status,
        language: reply.headers.get('content-language'),
        vary: reply.headers.get('vary'),
      }
    }
  }

  it('translate errors, fields and successes to the language that the client accepts', async () => {
    const ask = await speaking({ de, fr, zh })
    const missing = { status: 422, vary: 'Accept-Language' }
    expect(await ask('/notes', 'de-AT, de;q=0.9, en;q=0.5', { title: 'x' })).toMatchObject({
      ...missing,
      language: 'de',
      message: 'Muss mindestens 3 Zeichen lang sein',
      data: { title: ['Muss mindestens 3 Zeichen lang sein'], kind: ['Pflichtfeld'], code: ['Pflichtfeld'] },
    })
    expect(await ask('/notes', 'fr', {})).toMatchObject({ ...missing, language: 'fr', message: 'Obligatoire' })
    expect(await ask('/notes', 'zh-Hans-CN', {})).toMatchObject({ ...missing, language: 'zh', message: '必填' })
    expect(await ask('/nowhere', 'it, fr;q=0.2')).toMatchObject({ status: 404, language: 'fr', message: 'Introuvable' })
    expect(await ask('/notes', 'de', { title: 'One', kind: 'a', code: 'c' }))
      .toMatchObject({ status: 201, language: 'de', message: 'Angelegt', vary: 'Accept-Language' })
    expect(await ask('/notes', 'de')).toMatchObject({ status: 200, language: 'de', message: 'OK' })
  })

  it('have English as the default language, unless another one stands in front of it', async () => {
    const english = await speaking({ de, fr })
    for (const language of [undefined, '*', 'it', 'xx-invalid-@@']) {
      expect(await english('/notes', language)).toMatchObject({ message: 'ok', language: 'en',
        vary: 'Accept-Language' })
      expect(await english('/nowhere', language)).toMatchObject({ message: 'Not found', language: 'en' })
    }
    const german = await speaking({ de, en: {} })
    expect(await german('/nowhere', undefined)).toMatchObject({ message: 'Nicht gefunden', language: 'de' })
    expect(await german('/nowhere', 'en-GB')).toMatchObject({ message: 'Not found', language: 'en' })
  })

  it('translate texts of the application by themselves or by their reason, and keep the others', async () => {
    const ask = await speaking({ de: { ...de, ...own, 'stock.empty': 'Alles weg' } })
    expect(await ask('/sent', 'de')).toMatchObject({ message: 'Ausverkauft' })
    expect(await ask('/sent', 'en')).toMatchObject({ message: 'Sold out' })
    expect(await ask('/own', 'de')).toMatchObject({ message: 'Fertig', data: 1 })
    expect(await ask('/fields', 'de')).toMatchObject({ message: 'Bitte einen Titel',
      data: { title: ['Bitte einen Titel'] } })
    expect(await ask('/missing', 'de')).toMatchObject({ status: 404, message: 'No such note', language: 'de' })
    expect(await ask('/rule', 'de')).toMatchObject({ status: 409, message: 'Ausverkauft' })
    const reasoned = await speaking({ de: { ...de, 'stock.empty': 'Alles weg' } })
    expect(await reasoned('/rule', 'de')).toMatchObject({ message: 'Alles weg' })
  })

  it('translate the message of a conflict with its field, also in a bulk call', async () => {
    const ask = await speaking({ de })
    const note = { title: 'One', kind: 'a', code: 'c' }
    await ask('/notes', 'de', note)
    const taken = { status: 409, message: 'Bereits vergeben', data: { code: ['Bereits vergeben'] } }
    expect(await ask('/notes', 'de', note)).toMatchObject(taken)
    expect(await ask('/notes/bulk', 'de', { items: [{ ...note, code: 'd' }, note] })).toMatchObject({
      status: 409,
      message: 'items.1: Bereits vergeben',
      data: { 'items.1.code': ['Bereits vergeben'] },
    })
    const named = await speaking({ de: { ...de, 'In use': 'Wird verwendet' } }, {
      notes_code_key: { field: 'code', message: 'In use' },
    })
    await named('/notes', 'de', note)
    expect(await named('/notes', 'de', note)).toMatchObject({
      message: 'Wird verwendet',
      data: { code: ['Wird verwendet'] },
    })
  })

  it('keep the Content-Language that a handler has set', async () => {
    const ask = await speaking({ de })
    expect(await ask('/tagged', 'de')).toMatchObject({ language: 'es', vary: 'Accept-Language' })
  })

  it('are not needed: without them no reply names a language', async () => {
    for (const messages of [undefined, { not_found: 'Gone' }, () => undefined]) {
      const ask = await speaking(messages)
      for (const path of ['/notes', '/nowhere']) {
        expect(await ask(path, 'de')).toMatchObject({ language: null, vary: null })
      }
    }
  })
})

it('a table of texts replaces messages of successes by key and by text', async () => {
  const { get, post } = await serving(notes({ 'success.created': 'Made', 'Sold out': 'None left' }))
  expect((await post('/notes', { title: 'One', kind: 'a', code: 'x' })).body.message).toBe('Made')
  expect((await get('/sent')).body.message).toBe('None left')
})

it('a function is asked for messages of successes', async () => {
  const seen: unknown[] = []
  const { get } = await serving(notes(({ key, message, status }, req) => {
    seen.push([key, message, status])
    return req.get('x-text')
  }))
  expect((await get('/notes', { headers: { 'x-text': 'Fine' } })).body.message).toBe('Fine')
  expect(seen).toEqual([['success.ok', 'ok', 200]])
})

it('an app inside another one is translated by the error handler of the outer app', async () => {
  const inner = express().get('/hello', (_req, res) => send(res, 'Created'))
  const { get } = await serving(express().use('/inner', inner).use(errorHandler({ messages: { de } })))
  expect((await get('/inner/hello', { headers: { 'accept-language': 'de' } })).body.message).toBe('Angelegt')
})

describe('the phrases of HTTP', () => {
  it('are translated by themselves where a dictionary has them', async () => {
    const app = express().use((_req, _res, next) => next(createError(410)))
    const { get } = await serving(app.use(errorHandler({ messages: { de: { ...de, Gone: 'Verschwunden' } } })))
    expect((await get('/', { headers: { 'accept-language': 'de' } })).body.message).toBe('Verschwunden')
  })

  it.each([[404, 'Not Found', 'Nicht gefunden'], [410, 'Gone', 'Die Anfrage ist fehlgeschlagen'], [
    401,
    'Unauthorized',
    'Anmeldung erforderlich',
  ]])('of %i are translated too', async (status, phrase, german) => {
    const app = express().use((_req, _res, next) => next(createError(status)))
    const { get } = await serving(app.use(errorHandler({ messages: { de } })))
    expect((await get('/', { headers: { 'accept-language': 'de' } })).body.message).toBe(german)
    expect((await get('/')).body.message).toBe(phrase)
  })
})

it('a text of the application that equals a key is kept', async () => {
  const app = express().use((_req, _res, next) => next(new ValidationError({ name: ['failed'] })))
  const { get } = await serving(app.use(errorHandler({ messages: { de } })))
  expect((await get('/', { headers: { 'accept-language': 'de' } })).body).toMatchObject({
    message: 'failed',
    data: { name: ['failed'] },
  })
})

describe('the option messages with dictionaries', () => {
  it.each<[string, unknown, string]>([
    ['texts beside dictionaries', { de, not_found: 'Gone' }, 'must be a string'],
    ['a name that is no language', { 'not a language': de }, 'is no language tag'],
    ['an unknown key of a field', { de: { 'field.requierd': 'x' } }, 'there is no message `field.requierd`'],
    ['an unknown key of a success', { de: { 'success.done': 'x' } }, 'there is no message `success.done`'],
    ['an unknown placeholder', { de: { 'field.at_most': 'Höchstens {maximum}' } }, 'has no placeholder {maximum}'],
    ['an unknown placeholder of a plural', { de: { 'field.at_most': { one: '{x}', other: '{max}' } } },
      'placeholder {x}'],
    ['a plural without other', { de: { 'field.at_most': { one: '{max}' } } }, 'must be a string'],
    ['a number', { de: { not_found: 42 } }, 'must be a string'],
  ])('refuses %s', (_what, messages, sentence) => {
    expect(() => errorHandler({ messages: messages as never })).toThrow(
      expect.objectContaining({ code: 'option_messages', message: expect.stringContaining(sentence) as string }),
    )
  })
})
