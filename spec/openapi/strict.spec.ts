import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountResource, mountRoutes, RequestParam } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'
import { serving } from '../support/http.js'

interface Components {
  readonly schemas: {
    readonly CodeAdd: {
      readonly properties: Readonly<
        Record<'code' | 'both', { readonly pattern?: string; readonly allOf?: readonly { readonly pattern: string }[] }>
      >
    }
  }
}

const Note = z.object({ id: z.int(), title: z.string(), rank: z.int() })

function app(): Express {
  const made = express()
  mountResource(made, {
    route: '/notes',
    name: 'notes',
    ...crud(memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk', rank: 1, version: 1 }] }), {
      input: z.object({ title: z.string().trim().min(2).max(20), rank: z.int() }),
      output: Note,
      sort: ['title', 'rank'],
      ifMatch: 'optional',
      version: 'version',
    }),
  })
  mountRoutes(made, {
    route: '/misc',
    name: 'misc',
    routes: {
      echo: { methods: ['POST'], route: '/echo', input: z.object({ text: z.string() }),
        handler: (_req, _res, { text }) => text },
      flag: {
        methods: ['POST'],
        route: '/flag',
        input: z.object({
          flag: z.stringbool(),
          exact: z.stringbool({ truthy: ['Yes', 'a.b'], falsy: ['No'], case: 'sensitive' }).optional(),
        }),
        handler: (_req, _res, { flag }) => flag,
      },
      either: {
        methods: ['POST'],
        route: '/either',
        input: z.union([z.object({ mail: z.email() }), z.object({ phone: z.string() })]),
        handler: () => null,
      },
      form: {
        methods: ['POST'],
        route: '/form',
        files: { papers: { maxCount: 3, required: true, types: ['application/pdf'] } },
        input: z.object({ tags: z.array(z.string()).optional() }),
        handler: (req, _res, { tags }) => [tags ?? null, RequestParam.files(req, 'papers').length],
      },
    },
  })
  made.use(errorHandler({ log: () => undefined }))
  return made
}

const DOCUMENT = openapi(app(), { title: 'Notes', version: '1' })

/** Returns true if the keywords for strings of a schema accept a text, with and without the flag `u`. */
function accepts(schema: unknown, text: string): boolean {
  const { pattern, not, allOf = [] } = schema as { pattern?: string; not?: { pattern: string };
    allOf?: { pattern: string }[] }
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...allOf.map((one) => one.pattern)]
  const results = ['', 'u'].map((flags) =>
    patterns.every((one) => new RegExp(one, flags).test(text)) && !(not && new RegExp(not.pattern, flags).test(text))
  )
  expect(results[0]).toBe(results[1])
  return results[0] === true
}

/** Returns the documented schema of one field. */
function fieldOf(field: z.ZodType): { readonly pattern?: string } {
  const made = express()
  mountRoutes(made, {
    route: '/fields',
    name: 'fields',
    routes: { add: { methods: ['POST'], route: '', input: z.object({ field }), handler: () => null } },
  })
  return documentedField(made)
}

function documentedField(made: Express): { readonly pattern?: string } {
  return openapi(made, { title: 'Fields', version: '1' }).components.schemas.FieldAdd?.properties?.field as object
}

describe('a document is as strict as the server', () => {
  it.each([
    ...['true', 'TRUE', 'oN', '0', 'disabled', 'maybe', '', ' true', '10'].map((flag) => ({ flag })),
    ...['Yes', 'yes', 'a.b', 'axb', 'No'].map((exact) => ({ flag: 'true', exact })),
  ])('about the boolean as a string %j', async (sent) => {
    const properties = DOCUMENT.components.schemas.MiscFlag?.properties as Record<string, { enum?: string[] }>
    const body = JSON.stringify(sent)
    const headers = { 'content-type': 'application/json' }
    const { status } = await inject(app(), { method: 'POST', path: '/misc/flag', headers, body })
    const fits = Object.entries(sent).every(([name, text]) =>
      accepts(properties[name], text) && properties[name]?.enum?.includes(text) !== false
    )
    expect(fits).toBe(status === 200)
  })

  it.each(['a', '', '😀', 'é\n', 'a\0b', '\ud800', 'x\udc00y'])('about the string %j', async (text) => {
    const { text: schema } = DOCUMENT.components.schemas.MiscEcho?.properties ?? {}
    const body = JSON.stringify({ text })
    const headers = { 'content-type': 'application/json' }
    const { status } = await inject(app(), { method: 'POST', path: '/misc/echo', headers, body })
    expect(accepts(schema, text)).toBe(status === 200)
  })

  it.each(['ab', ' ab ', '  ', ' a ', 'a b'])('about blanks that are trimmed away: %j', async (title) => {
    const { title: schema } = DOCUMENT.components.schemas.NoteCreate?.properties ?? {}
    const { status } = await inject(app(), { method: 'POST', path: '/notes', body: { title, rank: 1 } })
    expect(accepts(schema, title)).toBe(status === 201)
  })

  it.each(['title', '-title,rank', 'title,title', 'rank,-title,-rank', 'id,-id', 'nope'])('about the order %s',
    async (sort) => {
      const schema = DOCUMENT.paths['/notes']?.get?.parameters?.find(({ name }) => name === 'sort')?.schema
      const { status } = await inject(app(), { method: 'GET', path: `/notes?sort=${sort}` })
      expect(accepts(schema, sort)).toBe(status === 200)
    })

  it.each(['*', '"1"', 'W/"1", "2"', 'none', '"', '""'])('about the header If-Match: %s', async (tag) => {
    const schema = DOCUMENT.paths['/notes/{id}']?.delete?.parameters?.find(({ name }) => name === 'If-Match')
      ?.schema
    const { status } = await inject(app(), { method: 'DELETE', path: '/notes/1', headers: { 'if-match': tag } })
    expect(accepts(schema, tag)).toBe(status !== 400)
  })

  it('asks for a body where each variant of a union has a required field', () => {
    expect(DOCUMENT.paths['/misc/either']?.post?.requestBody).toMatchObject({ required: true })
  })

  it('names the ids of a bulk delete in one place', () => {
    const { parameters, requestBody } = DOCUMENT.paths['/notes']?.delete ?? {}
    expect(parameters?.find(({ name }) => name === 'ids')).toMatchObject({ required: true })
    expect(requestBody).toBeUndefined()
  })

  it('tells the type of files, and that a list of required files is not empty', () => {
    const { papers } = DOCUMENT.components.schemas.MiscForm?.properties ?? {}
    expect(papers).toMatchObject({ minItems: 1, items: { contentMediaType: 'application/pdf' } })
  })

  it.each([
    [/^[a-z]+\d*$/i, ['a', 'Z9', 'bC12'], ['1', 'ä', '']],
    [/^(?:sku|PO)-[^A-F\d\]]{2}$/i, ['SKU-xY', 'po-gZ'], ['sku-ab', 'po-G1', 'sku-g]']],
    [/^\w+\.[jJ][pP]?g$/i, ['A.jpg', 'a.JG'], ['a-jpg', 'a.png']],
    [/^[+-]?x(?=y)(?!z)./i, ['+XY', 'xY', '-xy'], ['xz', '*xy']],
  ])('has a pattern of both cases for %s', (pattern, good, bad) => {
    const made = express()
    const input = z.object({ code: z.string().regex(pattern), both: z.string().regex(pattern).regex(/^.{1}/) })
    mountRoutes(made, {
      route: '/codes',
      name: 'codes',
      routes: { add: { methods: ['POST'], route: '', input, handler: () => null } },
    })
    const { components } = openapi(made, { title: 'Codes', version: '1' })
    const { code, both } = (components as unknown as Components).schemas.CodeAdd.properties
    for (const documented of [code.pattern, both.allOf?.[0]?.pattern]) {
      const matches = (text: string): boolean => new RegExp(documented ?? 'none', 'u').test(text)
      expect([...good, ...bad].filter(matches)).toEqual(good)
      expect([...good, ...bad].filter((text) => pattern.test(text))).toEqual(good)
    }
  })

  it.each([
    ['an escaped hyphen', new RegExp('^\\d{3}\\-\\d{2}$'), ['123-45'], ['12345', '123\\-45']],
    ['a hyphen beside a set', /^[\w-.]+$/, ['a-b.c', '-'], ['a b', '+']],
    ['escapes that are not needed', new RegExp('^\\@[A-Z\\_\\@]+\\!$'), ['@A_@!'], ['@a!', '\\@A!']],
    ['single braces and brackets', /^{a}]{,2}b{1,2}$/, ['{a}]{,2}b'], ['{a}]', 'a]b']],
    ['the flag s', /^a.b[.]$/s, ['a\nb.', 'axb.'], ['ab.', 'axbc']],
    ['the flag y', /a|b/y, ['a', 'bc'], ['ca', 'cb']],
    ['the flag v', new RegExp('^\\p{L}+$', 'v'), ['aé'], ['1']],
  ])('has a pattern that is valid with the flag u for %s', (_kind, pattern, good, bad) => {
    const json = fieldOf(z.string().regex(pattern))
    expect([...good, ...bad].filter((text) => new RegExp(json.pattern ?? '$.', 'u').test(text))).toEqual(good)
    expect([...good, ...bad].filter((text) => z.string().regex(pattern).safeParse(text).success)).toEqual(good)
  })

  it('has such a pattern for a rule list', () => {
    const made = express()
    const input = { field: [['required', 'Required'], ['regex', new RegExp('^\\d\\-\\d$'), 'Digits']] } as const
    mountRoutes(made, { route: '/fields', name: 'fields', routes: {
      add: { methods: ['POST'], route: '', input, handler: () => null },
    } })
    expect(documentedField(made).pattern).toBe('^\\d-\\d$')
  })

  it.each([new RegExp('^[\\p{L}--[a-z]]+$', 'v'), /^a$/m, /^\c$/])('has no pattern for %s, which has no such form',
    (pattern) => {
      expect(new RegExp(fieldOf(z.string().regex(pattern)).pattern ?? '', 'u').test('other')).toBe(true)
    })

  it.each([
    ['as the schema', z.email({ pattern: /^\S+@corp$/ }), '^\\S+@corp$'],
    ['as a check', z.string().check(z.email({ pattern: z.regexes.unicodeEmail })), z.regexes.unicodeEmail.source],
  ])('has the format of e-mail addresses with the pattern of zod alone: %s', (_place, own, pattern) => {
    expect(fieldOf(own)).toEqual({ type: 'string', pattern })
    for (const usual of [z.email(), z.string().check(z.email())]) {
      expect(fieldOf(usual)).toEqual({ type: 'string', format: 'email', pattern: z.regexes.email.source })
    }
  })

  it.each([undefined, 0, 1, 3, -2])('has a pattern of strings that contain another one from the position %s on',
    (position) => {
      const schema = z.string().includes('a.b', { position })
      const documented = fieldOf(schema)
      const texts = ['a.b', 'axb', '-a.b', '---a.b', '----a.b', '\n\n\na.b', '--a.b', 'a.b---']
      for (const text of texts)
        expect([text, accepts(documented, text)]).toEqual([text, schema.safeParse(text).success])
      const surrogates = '😀-a.b'
      expect([schema.safeParse(surrogates).success, new RegExp(documented.pattern ?? '', 'u').test(surrogates)])
        .toEqual([true, true])
    })

  it('takes each address of version 6', () => {
    const schema = z.ipv6()
    expect([schema.safeParse('::ffff:192.0.2.1').success, fieldOf(schema)]).toEqual([true, { type: 'string',
      format: 'ipv6' }])
  })

  it('reads a list of one part in a form', async () => {
    const { url } = await serving(app())
    const sent = async (tags: readonly string[]): Promise<unknown> => {
      const body = new FormData()
      for (const tag of tags) body.append('tags', tag)
      body.append('papers', new Blob(['%PDF-1.4\n%%EOF\n']), 'a.pdf')
      return (await (await fetch(`${url}/misc/form`, { method: 'POST', body })).json() as { data: unknown }).data
    }
    expect([await sent([]), await sent(['a']), await sent(['a', 'b'])]).toEqual([[null, 1], [['a'], 1], [['a', 'b'],
      1]])
  })
})
