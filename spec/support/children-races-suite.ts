import { setTimeout as wait } from 'node:timers/promises'
import type { Request } from 'express'
import { sql, type Generated } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { servingRoutes, type Asking } from '../crud/serving.js'
import { STARTING } from './blog.js'
import type { OpenDatabase, TestDatabase } from './databases.js'

interface Tables {
  firms: { id: Generated<number>; name: string }
  teams: { id: Generated<number>; firm_id: number }
  tasks: { id: Generated<number>; team_id: number; parent_id: number | null; title: string }
  steps: { id: Generated<number>; task_id: number; text: string }
  labels: { id: Generated<number>; name: string }
  task_labels: { id: Generated<number>; task_id: number; label_id: number }
}

const Step = z.object({ id: z.int(), text: z.string() })
const Task = z.object({ id: z.int(), title: z.string(), parent_id: z.int().nullable() })
const TASKS = '/firms/1/teams/1/tasks'
const SLOW = { 'x-slow': 'true' }

/** Serves the tasks of teams of firms, with steps and labels; a request with the header `x-slow` commits late. */
async function serve({ db }: TestDatabase<Tables>): Promise<Asking> {
  const late = async (_row: object, { req }: { readonly req: Request }): Promise<void> => {
    if (req.headers['x-slow'] !== undefined) await wait(400)
  }
  const firms = crud(kyselyStore(db, 'firms'), {
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.int() }),
    scope: () => [['name', '=', 'ours']],
  })
  const teams = crud(kyselyStore(db, 'teams'), {
    input: z.object({}),
    output: z.object({ id: z.int() }),
    parent: { arg: 'firmId', column: 'firm_id', of: firms },
  })
  const steps = crud(kyselyStore(db, 'steps'), {
    input: z.object({ task_id: z.int(), text: z.string() }),
    output: Step,
  })
  const labels = crud(kyselyStore(db, 'labels'), { input: z.object({ name: z.string() }),
    output: z.object({ id: z.int() }) })
  const tasks = crud(kyselyStore(db, 'tasks'), {
    input: z.object({ title: z.string(), parent_id: param.int().nullable().optional() }),
    output: Task,
    ifMatch: 'optional',
    parent: { arg: 'teamId', column: 'team_id', of: teams },
    tree: { parent: 'parent_id', onDelete: 'cascade' },
    children: { steps: { of: steps, column: 'task_id' } },
    links: { labelIds: { of: labels, through: kyselyStore(db, 'task_labels'), own: 'task_id', other: 'label_id' } },
    after: { create: late, store: late },
  })
  return servingRoutes((app) =>
    mountResource(app, { route: '/firms/:firmId/teams/:teamId/tasks', name: 'tasks', ...tasks })
  )
}

/** Tests requests at once that write the children of one record. */
export function childrenRacesSuite(open: OpenDatabase): void {
  let database: TestDatabase<Tables>
  let client: Asking
  beforeAll(async () => {
    database = await open<Tables>()
    await createTables(database)
  }, STARTING)
  beforeEach(async () => {
    client = await serve(database)
  })
  afterAll(() => database.close())

  const newTask = async (fields: object = {}): Promise<number> =>
    ((await client.post(TASKS, { title: 'task', ...fields })).body.data as { id: number }).id
  const patch = (id: number, body: object, headers: Record<string, string> = {}) =>
    client.send('PATCH', `${TASKS}/${id}`, { body, headers })
  const shown = async (id: number): Promise<{ steps: { text: string }[]; labelIds: number[] }> =>
    (await client.get(`${TASKS}/${id}`)).body.data as never

  it.each([
    ['children', (at: number) => ({ steps: [{ text: `caller ${at}` }] })],
    ['links', (at: number) => ({ labelIds: [at + 1] })],
  ])('replaces %s once of many requests with one If-Match', async (_name, bodyOf) => {
    const id = await newTask()
    const headers = { 'if-match': String((await client.get(`${TASKS}/${id}`)).headers.get('etag')) }
    const replies = await Promise.all(Array.from({ length: 5 }, (_each, at) => patch(id, bodyOf(at), headers)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412])
    const { steps, labelIds } = await shown(id)
    expect(steps.length + labelIds.length).toBe(1)
  })

  it('replaces the children that a request before has just committed', async () => {
    const id = await newTask()
    const first = patch(id, { steps: [{ text: 'first' }], labelIds: [1] }, SLOW)
    await wait(150)
    const second = patch(id, { steps: [{ text: 'second' }], labelIds: [2] })
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    const { steps, labelIds } = await shown(id)
    expect(steps.map(({ text }) => text)).toEqual(['second'])
    expect(labelIds).toEqual([2])
  })

  it('deletes a row of a tree with what a request before has just put below it', async () => {
    const id = await newTask()
    const below = client.post(TASKS, { title: 'below', parent_id: id }, { headers: SLOW })
    await wait(150)
    const deleted = client.send('DELETE', `${TASKS}/${id}`)
    expect([(await below).status, (await deleted).status]).toEqual([201, 200])
    expect(await database.db.selectFrom('tasks').selectAll().where('title', '=', 'below').execute()).toEqual([])
  })
}

async function createTables({ db, dialect }: TestDatabase<Tables>): Promise<void> {
  const key = sql.raw(dialect === 'postgres' ? 'int generated by default as identity' : 'int auto_increment')
  await sql`create table firms (id ${key} primary key, name varchar(50) not null)`.execute(db)
  await sql`create table teams (id ${key} primary key, firm_id int not null)`.execute(db)
  await sql`create table tasks (id ${key} primary key, team_id int not null, parent_id int, title varchar(50) not null)`
    .execute(db)
  await sql`create table steps (id ${key} primary key, task_id int not null, text varchar(50) not null)`.execute(db)
  await sql`create table labels (id ${key} primary key, name varchar(50) not null)`.execute(db)
  await sql`create table task_labels (id ${key} primary key, task_id int not null, label_id int not null)`.execute(db)
  await db.insertInto('firms').values({ name: 'ours' }).execute()
  await db.insertInto('teams').values({ firm_id: 1 }).execute()
  await db.insertInto('labels').values(Array.from({ length: 5 }, (_, at) => ({ name: `label ${at}` }))).execute()
}
