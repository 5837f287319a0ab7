import express from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { openapi } from 'resourcery/openapi'

it('documents z.json() as a schema without keywords, and no component for it', () => {
  const input = z.object({
    settings: z.json().describe('Any settings'),
    extra: z.json().nullable().optional(),
    list: z.array(z.json()),
    named: z.json().meta({ id: 'Anything' }),
  })
  const app = express()
  mountResource(app, { route: '/notes', name: 'notes',
    handlers: { create: { input, output: input, handler: () => null as never } } })
  const { components } = openapi(app, { title: 'Notes', version: '1' })
  const { NoteCreate, Anything, ...others } = components.schemas
  expect(NoteCreate).toMatchObject({
    properties: { settings: { description: 'Any settings' }, list: { type: 'array', items: {} } },
    required: ['settings', 'list', 'named'],
  })
  expect(Anything).toEqual({})
  expect(JSON.stringify(components.schemas)).not.toContain('propertyNames')
  expect(Object.keys(others).filter((name) => !/Envelope|Meta/.test(name))).toEqual(['Note'])
})
