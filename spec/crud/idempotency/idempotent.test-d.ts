import express from 'express'
import type { Kysely } from 'kysely'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, idempotent, memoryStore, type IdempotencyKey, type Store } from 'resourcery/crud'
import { createClient } from 'resourcery/client'
import { mountResource, type Mounted } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { resource } from 'resourcery'
import { param } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'

interface Tables {
  notes: { id: number; title: string }
  idempotency_keys: IdempotencyKey
}

declare const db: Kysely<Tables>
const notes = kyselyStore(db, 'notes')
const keys = (inside: Kysely<Tables>) => kyselyStore(inside, 'idempotency_keys')
const Note = z.object({ id: z.int(), title: z.string() })
const NewNote = z.object({ title: z.string() })

function clientOf<M extends Mounted<'notes'>>(_mounted: M) {
  return createClient<{ notes: M }>({ url: '', routes: [] })
}

describe('idempotency', () => {
  it('accepts a store of keys in the same database', () => {
    const options = { input: NewNote, output: Note }
    mountResource(express(), { route: '/notes', name: 'notes', ...crud(notes, { ...options, idempotency: { keys, seconds: 60, required: true, identity: (req) => req.ip } }) })
    crud(memoryStore<Tables['notes']>({ key: 'id' }), { ...options, idempotency: { keys: (none) => {
      expectTypeOf(none).toEqualTypeOf<undefined>()
      return memoryStore<IdempotencyKey>({ key: 'id' })
    } } })
    // @ts-expect-error a store of other rows
    crud(notes, { ...options, idempotency: { keys: (inside) => kyselyStore(inside, 'notes') } })
    // @ts-expect-error no store of keys
    crud(notes, { ...options, idempotency: {} })
  })

  it('types the arguments and the store of a custom action', () => {
    const publish = idempotent({ store: notes, keys }, {
      input: z.object({ id: param.int(), title: z.string() }), query: z.object({ quiet: param.bool().default(false) }), output: Note,
      handler: (_req, _res, args, store) => {
        expectTypeOf(args).toEqualTypeOf<{ id: number; title: string; quiet: boolean }>()
        expectTypeOf(store).toEqualTypeOf<Store<Tables['notes'], Kysely<Tables>>>()
        return store.create(args)
      },
    })
    const app = express()
    mountResource(app, { route: '/notes', name: 'notes', handlers: { create: publish }, custom: { publish: { methods: ['POST'], route: '/:id/publish', ...publish } } })
    mountRoutes(app, { route: '/notes', routes: { publish: { methods: ['POST'], route: '/:id/publish', ...publish } } })
    resource(app, '/notes').create(publish).post('publish', '/:id/publish', publish)
    mountRoutes(app, { route: '/ping', routes: { ping: { methods: ['POST'], route: '/', ...idempotent({ store: notes, keys }, { handler: () => 'pong' }) } } })
  })

  it('tells the client of its arguments, and of its files', () => {
    const api = clientOf(mountRoutes(express(), { route: '/notes', name: 'notes', routes: {
      publish: { methods: ['POST'], route: '/:id/publish', ...idempotent({ store: notes, keys }, { input: z.object({ id: param.int() }), output: Note, handler: () => ({ id: 1, title: '' }) }) },
      attach: { methods: ['POST'], route: '/:id/files', ...idempotent({ store: notes, keys }, { input: z.object({ id: param.int() }), files: { file: { required: true } }, handler: () => null }) },
    } }))
    void api.notes.publish({ id: 1 })
    void api.notes.attach({ id: 1, file: new Blob(['a']) })
    // @ts-expect-error misspelt
    void api.notes.publish({ id: 1, titel: 'a' })
    // @ts-expect-error without the file
    void api.notes.attach({ id: 1 })
  })

  it('refuses an output that does not fit, and unknown options', () => {
    // @ts-expect-error the returned value is not a note
    idempotent({ store: notes, keys }, { output: Note, handler: () => ({ id: 'one' }) })
    // @ts-expect-error the handler returns nothing that can be stored
    idempotent({ store: notes, keys }, { output: Note, handler: () => undefined })
    // @ts-expect-error misspelt
    idempotent({ store: notes, keys, second: 5 }, { handler: () => null })
  })
})
