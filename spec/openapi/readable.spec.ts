import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountRoutes, notFound } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { serving } from '../support/http.js'

const Note = z.object({ id: z.int(), title: z.string(), mail: z.string() })
const input = z.object({
  title: z.string().trim().min(2).max(4),
  mail: z.string().trim().toLowerCase().pipe(z.email()),
})

function notes() {
  const app = express()
  mountResource(app, {
    route: '/notes',
    name: 'notes',
    ...crud(memoryStore<z.output<typeof Note> & { version: number }>({ key: 'id' }), {
      input,
      output: Note,
      sort: ['title'],
      ifMatch: 'optional',
      version: 'version',
    }),
  })
  mountRoutes(app, {
    route: '/lists',
    name: 'lists',
    routes: {
      query: { route: '', input: z.object({ tags: z.array(z.string()).optional() }),
        handler: (_req, _res, args) => args },
      form: {
        methods: 'POST',
        route: '',
        input: z.object({ tags: z.array(z.string()).min(1), words: z.array(z.string()).optional() }),
        files: { file: {} },
        handler: (_req, _res, { tags, words }) => ({ tags, words }),
      },
      json: {
        methods: 'PUT',
        route: '',
        input: z.object({ tags: z.array(z.string()) }),
        handler: (_req, _res, args) => args,
      },
    },
  })
  app.use(notFound(), errorHandler())
  return app
}

const document = openapi(notes(), { title: 'Notes', version: '1' })

interface Json {
  readonly pattern: string
  readonly format?: string
  readonly properties: Readonly<Record<string, Json>>
}

function patternOf(name: string): RegExp {
  const { properties } = document.components.schemas.NoteCreate as unknown as Json
  return new RegExp(properties[name]?.pattern ?? '', 'u')
}

function parameter(path: string, method: string, name: string): RegExp {
  const { schema } = document.paths[path]?.[method]?.parameters?.find((one) => one.name === name) ?? {}
  return new RegExp(String(schema?.pattern), 'u')
}

describe('a document', () => {
  it('describes the length of a string that is trimmed', () => {
    const pattern = patternOf('title')
    for (const text of ['ab', '  ab\t', 'abcd', '   abcd   ', 'a b', '😀😀']) expect(text, text).toMatch(pattern)
    for (const text of ['', ' ', 'a', '  a  ', 'abcde', 'a\0', 'a\ud800']) expect(text, text).not.toMatch(pattern)
  })

  it('describes both parts of a pipe of strings', () => {
    expect((document.components.schemas.NoteCreate as unknown as Json).properties.mail).toMatchObject({
      format: 'email',
    })
  })

  it('shows that a sort key appears once', () => {
    const pattern = parameter('/notes', 'get', 'sort')
    for (const text of ['title', '-title,id', 'id,-title']) expect(text).toMatch(pattern)
    for (const text of ['', 'title,title', 'title,-title', 'id,title,id', 'mail', 'title,']) {
      expect(text).not.toMatch(pattern)
    }
  })

  it('shows the form of If-Match', () => {
    const pattern = parameter('/notes/{id}', 'patch', 'If-Match')
    for (const text of ['*', '"a"', 'W/"a"', '"a", "b"', '"a",,"b"', '""']) expect(text).toMatch(pattern)
    for (const text of ['', 'a', '"a', '"a" "b"', '*, "a"']) expect(text).not.toMatch(pattern)
  })

  it('asks for the ids of a bulk deletion in the query, and has no body for it', () => {
    const operation = document.paths['/notes']?.delete
    expect(operation?.parameters).toContainEqual(expect.objectContaining({ name: 'ids', in: 'query', required: true }))
    expect(operation).not.toHaveProperty('requestBody')
  })
})

describe('a server', () => {
  it.each(['title', 'x\ud800'])('refuses half a surrogate pair in any body, at %j', async (place) => {
    const client = await serving(notes())
    const body = place === 'title'
      ? '{"title":"a\\ud800b","mail":"a@example.test"}'
      : '{"title":"abc","mail":"a@example.test","x\\ud800":1}'
    const { status, body: reply } = await client.send('POST', '/notes', {
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(status).toBe(422)
    expect(Object.values(reply.data as Record<string, unknown>)).toEqual([['Must be well-formed Unicode']])
  })

  it('reads a list of one from a query and from a form, and not from JSON', async () => {
    const client = await serving(notes())
    expect((await client.send('GET', '/lists?tags=a')).body.data).toEqual({ tags: ['a'] })
    const form = new FormData()
    form.append('tags', 'a')
    form.append('words', 'b')
    form.append('words', 'c')
    const read = await (await fetch(`${client.url}/lists`, { method: 'POST', body: form })).json() as { data: unknown }
    expect(read.data).toEqual({ tags: ['a'], words: ['b', 'c'] })
    const urlencoded = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'tags=a' }
    expect((await client.send('PUT', '/lists', urlencoded)).status).toBe(200)
    const json = { headers: { 'content-type': 'application/json' }, body: '{"tags":"a"}' }
    expect((await client.send('PUT', '/lists', json)).status).toBe(422)
  })
})
