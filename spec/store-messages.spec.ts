import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from 'resourcery'
import { crud, memoryStore, type Store } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { toStoreError } from '../lib/adapters/sql/violations.js'
import { serving } from './support/http.js'

interface Note {
  id: number
  title: string
}

const driverError = (code: string, more: object = {}): Error => Object.assign(new Error('secret'), { code, ...more })

/** Serves notes whose store fails with an error, and returns the keys of the messages of a creation. */
async function keysOf(cause: Error): Promise<unknown[]> {
  const keys: unknown[] = []
  const memory = memoryStore<Note>({ key: 'id' })
  const failing: Store<Note> = Object.assign(Object.create(memory) as Store<Note>, {
    create: (fields: object) => Promise.reject(toStoreError(cause, fields) as Error),
    transaction: (work: (store: Store<Note>) => Promise<unknown>) => work(failing),
  })
  const app = express().use(express.json())
  const input = z.object({ title: z.string() })
  const output = z.object({ id: z.int(), title: z.string() })
  mountResource(app, { route: '/notes', name: 'notes', ...crud(failing, { input, output, sort: [] }) })
  app.use(errorHandler({ messages: ({ key, field }) => void (field !== undefined && keys.push(key)) }))
  await (await serving(app)).post('/notes', { title: 'x' })
  return keys
}

describe('the messages of stores', () => {
  it.each([
    ['23502', 'field.required'],
    ['23514', 'field.refused'],
    ['22001', 'field.too_long'],
    ['22003', 'field.out_of_range'],
    ['22P02', 'field.unreadable'],
    ['ER_DATA_TOO_LONG', 'field.too_long'],
  ])('have keys: an error with the code %s has %s', async (code, key) => {
    expect(await keysOf(driverError(code, { column: 'title' }))).toEqual([key])
  })
})
