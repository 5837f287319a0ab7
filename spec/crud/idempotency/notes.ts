import type { Router } from 'express'
import { z } from 'zod'
import { crud, idempotent, memoryStore, type CrudOptions, type IdempotencyKey, type Store } from 'resourcery/crud'
import { param, type NumberParam } from 'resourcery'
import { mountResource } from 'resourcery'
import { auth } from 'resourcery'
import { permission } from 'resourcery'
import { appWith, SECRET } from '../../support/guarded-app.js'
import { serving, type Client, type Reply, type SendOptions } from '../../support/http.js'

export interface Note {
  id: number
  title: string
  owner: number
}

export const NoteOut = z.object({ id: z.int(), title: z.string(), owner: z.int() })
export const NoteIn = z.object({ title: z.string().min(1, 'Too short') })

type Notes = Store<Note>
type Options = Partial<CrudOptions<Note, unknown, typeof NoteIn, typeof NoteOut, NumberParam>>

/** The stores of notes and of their keys. */
export interface Kept {
  readonly notes: Notes
  readonly keysIn: (db: unknown) => Store<IdempotencyKey>
}

export function inMemory(): Kept & { readonly keys: Store<IdempotencyKey> } {
  const keys = memoryStore<IdempotencyKey>({ key: 'id' })
  return { notes: memoryStore<Note>({ key: 'id', unique: ['title'] }), keysIn: () => keys, keys }
}

export interface Asking {
  readonly client: Client
  readonly logged: readonly unknown[]
  /** Creates a note, with a key where one is given. */
  readonly create: (title: unknown, key?: string, options?: SendOptions) => Promise<Reply>
  readonly send: Client['send']
  readonly titles: () => Promise<string[]>
}

/** Serves the notes of a guarded app with a custom action `copy`, until the test ends. */
export async function servingNotes(
  { notes, keysIn }: Kept,
  options: Options & { readonly required?: boolean; readonly seconds?: number; readonly bulk?: true } = {},
  mount: (app: Router) => void = () => undefined,
): Promise<Asking> {
  const { required = false, seconds = 60, ...rest } = options
  const app = appWith((root) => {
    mount(root)
    root.use('/app', auth('app', { secret: SECRET }), permission('app'))
    mountNotes(root, { notes, keysIn }, { idempotency: { keys: keysIn, required, seconds }, ...rest })
  })
  const client = await serving(app)
  return {
    client,
    logged: app.logged,
    create: (title, key, more) =>
      client.post('/app/notes', { title }, {
        ...more,
        headers: { ...(key !== undefined && { 'idempotency-key': key }), ...more?.headers },
      }),
    send: (...args) => client.send(...args),
    titles: async () => (await notes.list({ where: [], order: ['id'] }).slice(0, 1000)).map(({ title }) => title),
  }
}

function mountNotes(
  root: Router,
  { notes, keysIn }: Kept,
  { bulk, ...options }: Options & { readonly bulk?: true },
): void {
  const made = crud(notes, {
    input: NoteIn,
    output: NoteOut,
    before: { create: (note, { req }) => ({ ...note, owner: Number(req.auth?.id) }) },
    ...options,
    bulk: bulk === true ? ['createMany'] : [],
  })
  mountResource(root, {
    app: 'app',
    route: '/app/notes',
    name: 'notes',
    ...made,
    custom: {
      ...made.custom,
      copy: {
        methods: ['POST'],
        route: '/:id/copy',
        status: 202,
        message: 'Copied',
        ...idempotent({ store: notes, keys: keysIn }, {
          input: z.object({ id: param.int(), suffix: z.string().default(' (copy)') }),
          output: NoteOut,
          handler: async (_req, res, { id, suffix }, store) => {
            const [note] = await store.find([id])
            if (note === undefined) throw new Error('Nothing to copy')
            res.setHeader('X-Copy-Of', id)
            return store.create({ title: note.title + suffix, owner: note.owner })
          },
        }),
      },
    },
  })
}
