import express from 'express'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import type { Store } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { memoryStore } from 'resourcery/crud'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { forwardingStore } from '../support/forwarding-store.js'
import { closed, standing, type Client } from '../support/http.js'
import { TreeModel, type Folder, type Nested, type Outcome, type Sent } from './tree-model.js'

interface Row {
  id: number
  code: string
  parentId: number | null
  team: number
  version: number
  deletedAt: Date | null
}

const Out = z.object({ id: z.int(), code: z.string(), parentId: z.int().nullable(), version: z.int() })
const In = z.object({ code: z.string(), parentId: param.int().nullable().optional() })
const POLICIES = ['restrict', 'cascade', 'reparent'] as const
const BOUNDS = { depth: 3, size: 4 }

/** Set `MODEL_RUNS=1000` for more runs. */
const RUNS = Number(process.env.MODEL_RUNS ?? 60)

type Command =
  | {
    readonly kind: 'create' | 'edit' | 'store'
    readonly nth: number
    readonly code: string | undefined
    readonly under: number | null | undefined
  }
  | { readonly kind: 'delete' | 'restore' | 'purge'; readonly nth: number }
  | { readonly kind: 'deleteMany'; readonly nths: readonly number[] }
  | { readonly kind: 'list' | 'tree'; readonly deleted: string | undefined }

const nth = fc.nat(9)
const under = fc.oneof({ weight: 5, arbitrary: nth }, fc.constant(null))
const code = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p')
const creation: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('create' as const),
  nth,
  code,
  under: fc.option(under, { nil: undefined }),
})
/** Generates initial folders: a list of their parents. */
const beginning = fc
  .array(under, { minLength: 3, maxLength: 6 })
  .map((parents) =>
    parents.map((above, index): Command => ({
      kind: 'create',
      nth: 0,
      code: 'abcdef'.charAt(index),
      under: index === 0 ? null : above,
    }))
  )
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: creation },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      nth,
      code: fc.option(code, { nil: undefined, freq: 1 }),
      under: fc.option(under, { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      nth,
      code,
      under: fc.option(under, { nil: undefined }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'delete' as const,
        'delete' as const,
        'restore' as const,
        'restore' as const,
        'purge' as const,
      ),
      nth,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deleteMany' as const),
      nths: fc.array(nth, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('list' as const, 'tree' as const),
      deleted: fc.constantFrom(undefined, 'only', 'with'),
    }),
  },
)
/** Generates a command of the team of most folders, or sometimes of another team. */
const ofTeam = <C>(one: fc.Arbitrary<C>): fc.Arbitrary<readonly [C, number]> =>
  fc.tuple(one, fc.constantFrom(1, 1, 1, 1, 2))
const commands = fc
  .tuple(
    beginning.map((all) => all.map((one) => [one, 1] as const)),
    fc.array(ofTeam(creation), { maxLength: 2 }),
    fc.array(ofTeam(command), { minLength: 1, maxLength: 16, size: 'max' }),
  )
  .map((lists) => lists.flat())

/** Runs one sequence of commands against the server and the model, and compares every reply, and finally all rows. */
async function compare(
  client: Client,
  onDelete: (typeof POLICIES)[number],
  sequence: readonly (readonly [Command, number])[],
): Promise<void> {
  const model = new TreeModel({ onDelete, ...BOUNDS })
  const ids: number[] = []
  const idOf: IdOf = (index, kind) => {
    const fitting = model
      .folders
      .filter(({ deletion }) => (deletion !== null) === (kind === 'restore' || kind === 'purge'))
      .map(({ id }) => id)
    // Sometimes an invalid or a missing parent.
    const pool = index < 8 && fitting.length > 0 ? fitting : ids
    return pool[index % Math.max(1, pool.length)] ?? 9_999_999
  }
  const all = { kind: 'list', deleted: 'with' } as const
  for (const [each, team] of [...sequence, [all, 1] as const, [all, 2] as const]) {
    model.team = team
    if ('deleted' in each) await compareList(client, model, onDelete, each)
    else await compareWrite(client, model, onDelete, each, idOf, ids)
  }
}

async function compareList(
  client: Client,
  model: TreeModel,
  onDelete: string,
  { kind, deleted }: Extract<Command, { deleted: unknown }>,
): Promise<void> {
  const query = new URLSearchParams({
    limit: '100',
    ...(kind === 'tree' && { tree: 'true' }),
    ...(deleted !== undefined && { deleted }),
  })
  const { status, body } = await client.get(`/${onDelete}?${query.toString()}`, {
    headers: { 'x-team': String(model.team) },
  })
  if (kind === 'list') {
    expect([status, body.data]).toEqual([200, model.list(deleted).map(shown)])
    return
  }
  const expected = model.nested(deleted)
  const idsOnly = (nodes: readonly Nested[]): Nested[] =>
    nodes.map(({ id, children }) => ({ id, children: idsOnly(children) }))
  expect([status, status === 200 ? idsOnly(body.data) : undefined]).toEqual([
    expected === undefined ? 422 : 200,
    expected,
  ])
}

type IdOf = (nth: number, kind: Command['kind']) => number
type Write = Exclude<Command, { deleted: unknown }>

async function compareWrite(
  client: Client,
  model: TreeModel,
  onDelete: string,
  each: Write,
  idOf: IdOf,
  ids: number[],
): Promise<void> {
  const targets = 'nths' in each
    ? [...new Set(each.nths.map((one) => idOf(one, 'delete')))]
    : [idOf(each.nth, each.kind)]
  const [id = 0] = targets
  const sent = 'code' in each ? sentOf(each, idOf) : undefined
  const [method, path] = ({
    create: ['POST', ''],
    edit: ['PUT', `/${id}`],
    store: ['PATCH', `/${id}`],
    delete: ['DELETE', `/${id}`],
    deleteMany: ['DELETE', `?ids=${targets.join()}`],
    restore: ['PUT', `/${id}/restore`],
    purge: ['DELETE', `/${id}/purge`],
  } as const)[each.kind]
  const { status, body } = await client.send(method, `/${onDelete}${path}`, {
    body: sent,
    headers: { 'x-team': String(model.team) },
  })
  const expected = outcomeOf(model, each.kind, targets, sent)
  expect([each, sent, status, body.meta.reason]).toEqual([each, sent, expected[0], expected[1]])
  if (status === 201) {
    const { id: created } = body.data as Row
    model.folders.push({
      id: created,
      code: sent?.code ?? '',
      parentId: sent?.parentId ?? null,
      team: model.team,
      version: 1,
      deletion: null,
    })
    ids.push(created)
  }
  if (['create', 'edit', 'store', 'restore'].includes(each.kind) && status < 300) {
    const { id: written } = body.data as Row
    expect([body.data]).toEqual(model.folders.filter((folder) => folder.id === written).map(shown))
  }
}

function sentOf({ kind, code: given, under: above }: Extract<Command, { code: unknown }>, idOf: IdOf): Sent {
  const parentId = above === undefined ? undefined : above === null ? null : idOf(above, kind)
  return {
    ...(given !== undefined && { code: given }),
    ...(parentId !== undefined && { parentId }),
    ...(kind === 'edit' && parentId === undefined && { parentId: null }),
  }
}

function outcomeOf(model: TreeModel, kind: Write['kind'], ids: readonly number[], sent: Sent = {}): Outcome {
  const [id = 0] = ids
  if (kind === 'create') return model.create(sent)
  if (kind === 'edit' || kind === 'store') return model.change(id, sent)
  if (kind === 'restore') return model.restore(id)
  return kind === 'purge' ? model.purge(id) : model.delete(ids)
}

function shown({ id, code: own, parentId, version }: Folder): object {
  return { id, code: own, parentId, version }
}

describe('a tree compared with a list of folders', () => {
  let client: Client
  let database: TestDatabase<{ folders: Row }>
  let current: Store<Row>

  beforeAll(async () => {
    database = await openEmbedded<{ folders: Row }>()
    await sql`create table folders (id bigint generated by default as identity primary key, code varchar(20) not null unique,
      "parentId" bigint references folders (id), team integer not null, version integer not null, "deletedAt" timestamptz(3))`
      .execute(database.db)
    const app = express()
    for (const onDelete of POLICIES) {
      mountResource(app, {
        route: `/${onDelete}`,
        name: onDelete,
        ...crud(forwardingStore(() => current), {
          input: In,
          output: Out,
          tree: { parent: 'parentId', onDelete, ...BOUNDS },
          softDelete: { field: 'deletedAt', unique: ['code'], allows: () => true },
          scope: (req) => [['team', '=', Number(req.get('x-team'))]],
          ifMatch: 'optional',
          version: 'version',
        }),
      })
    }
    app.use(errorHandler())
    client = await standing(app)
  })
  afterAll(async () => {
    await closed(client.server)
    await database.close()
  })

  const stores = [
    [
      'memory',
      () =>
        Promise.resolve<Store<Row>>(
          memoryStore<Row>({ key: 'id', unique: ['code'], defaults: { parentId: null, deletedAt: null } }),
        ),
    ],
    ['the embedded PostgreSQL', async () => {
      await database.db.deleteFrom('folders').execute()
      return kyselyStore(database.db, 'folders', {
        columns: { id: 'integer', parentId: 'integer', deletedAt: 'date' },
      }) as unknown as Store<Row>
    }],
  ] as const

  it.each(stores)('gives the same replies with soft deletion, scopes and versions on %s', async (_name, make) => {
    await fc.assert(fc.asyncProperty(fc.constantFrom(...POLICIES), commands, async (onDelete, sequence) => {
      current = await make()
      await compare(client, onDelete, sequence)
    }), { numRuns: RUNS })
  }, 900_000)
})
