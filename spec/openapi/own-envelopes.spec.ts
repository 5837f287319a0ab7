import express from 'express'
import { envelope, errorHandler, mountResource, problem } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { serving } from '../support/http.js'

const Note = z.object({ id: z.int() })

const named = (name: string) =>
  envelope({
    success: ({ data }) => ({ [name]: data }),
    schema: { success: ({ data }) => ({ type: 'object', properties: { [name]: data } }) },
  })

it('documents the envelope that a resource has in `guards`, and an action in `use`', async () => {
  const app = express()
  mountResource(app, {
    route: '/notes',
    name: 'notes',
    guards: named('note'),
    handlers: { list: () => [], delete: { use: named('gone'), handler: () => null } },
  })
  app.use(errorHandler({ log: () => undefined }))
  const { paths } = openapi(app, { title: 'Notes', version: '1' })
  const fieldsOf = (path: string, method: 'get' | 'delete'): unknown => {
    const reply = paths[path]?.[method]?.responses[200] as {
      content?: Record<string, { schema: { properties?: object } }>
    }
    return Object.keys(reply.content?.['application/json']?.schema.properties ?? {})
  }
  const client = await serving(app)
  expect(Object.keys((await client.send('GET', '/notes')).body)).toEqual(['note'])
  expect(Object.keys((await client.send('DELETE', '/notes/1')).body)).toEqual(['gone'])
  expect(fieldsOf('/notes', 'get')).toEqual(['note'])
  expect(fieldsOf('/notes/{id}', 'delete')).toEqual(['gone'])
})

it('describes a 422 and a 409 without the fields of another envelope', () => {
  const app = express()
  app.use(envelope(problem()))
  mountResource(app, { route: '/notes', name: 'notes', handlers: { create: () => null } })
  const { responses } = openapi(app, { title: 'Notes', version: '1' }).components
  expect([responses.Validation?.description, responses.Conflict?.description].join()).not.toContain('`data`')
})

it('documents the default envelope under other media types', () => {
  const app = express()
  app.use(envelope({ types: { success: 'application/vnd.notes+json', failure: 'application/vnd.fault+json; v=1' } }))
  mountResource(app, { route: '/notes', name: 'notes',
    handlers: { list: { output: z.array(Note), handler: () => [] } } })
  const { paths, components } = openapi(app, { title: 'Notes', version: '1' })
  const listed = paths['/notes']?.get?.responses[200] as { content: Record<string, { schema: object }> }
  expect(listed.content).toEqual({
    'application/vnd.notes+json': { schema: expect.objectContaining({ title: 'NoteListReply' }) as object },
  })
  expect(Object.keys(components.responses.Validation?.content ?? {})).toEqual(['application/vnd.fault+json'])
})
