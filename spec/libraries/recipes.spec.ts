import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { sql } from 'kysely'
import ts from 'typescript'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { mountResource } from 'resourcery'
import type { RawCondition, Store } from 'resourcery/crud'
import { serving, type Client } from '../support/http.js'
import type { Tables } from './recipes/kysely.js'
import { startMongod } from './stores/mongod.js'
import { openPlace, type Place } from './stores/places.js'

/* The recipes of docs/stores.md that need a library: the blocks that begin with its name, as in ```ts knex. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(root, 'spec/libraries/.docs-'))
const page = readFileSync(join(root, 'docs/stores.md'), 'utf8')

const NEEDED = {
  kysely:
    "import { kyselyStore } from 'resourcery/kysely'\nimport { close, db, type Tables } from '../recipes/kysely.js'",
  drizzle:
    "import { drizzleStore } from 'resourcery/drizzle'\nimport { close, db, members, projects } from '../recipes/drizzle.js'",
  knex: "import { knexStore } from 'resourcery/knex'\nimport { close, knex, type Project } from '../recipes/knex.js'",
  prisma:
    "import { prismaStore } from 'resourcery/prisma'\nimport { close, prisma, Prisma } from '../recipes/prisma.js'",
  typeorm:
    "import { typeormStore } from 'resourcery/typeorm'\nimport { close, dataSource, Member, Project } from '../recipes/typeorm.js'",
  sequelize:
    "import { sequelizeStore } from 'resourcery/sequelize'\nimport { close, Member, Project, sequelize } from '../recipes/sequelize.js'",
  mongoose:
    "import { mongooseStore } from 'resourcery/mongoose'\nimport { close, Member, Project } from '../recipes/mongoose.js'",
}

/** Returns the names of the resources of a program. */
function resourcesOf(library: string): readonly string[] {
  return library === 'prisma' || library === 'mongoose' ? ['projectsOf', 'projectsByKeys'] : ['projectsOf']
}

/** Returns what a program exports: for SQL the parts of its resource too. */
function exportsOf(library: string): readonly string[] {
  return [...resourcesOf(library), ...(library === 'mongoose' ? [] : ['ofMember', 'projectStore'])]
}

/** Writes the program of a library and returns its file. */
function programOf([library, imports]: [string, string]): string {
  const blocks = [...page.matchAll(/^```ts ([\w ]+)\n(.*?)^```$/gms)].filter(([, names = '']) =>
    names.split(' ').includes(library)
  )
  const file = join(folder, `${library}.ts`)
  const source = [
    imports,
    "import { crud } from 'resourcery/crud'",
    "import { z } from 'zod'",
    ...blocks.map(([, , text = '']) => text),
    `export { close, ${exportsOf(library).join(', ')} }`,
  ]
  writeFileSync(file, source.join('\n'))
  return file
}

const programs = Object.entries(NEEDED).map((needed) => [needed[0], programOf(needed)] as const)

afterAll(() => rmSync(folder, { recursive: true }))

it('the recipes compile', { timeout: 120_000 }, () => {
  const file = join(root, 'spec/libraries/tsconfig.json')
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, (path) => ts.sys.readFile(path)).config,
    ts.sys,
    join(root, 'spec/libraries'),
  )
  const program = ts.createProgram([...programs.map(([, each]) => each), join(root, 'lib/core/base/types.ts')], options)
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')))
    .toEqual([])
})

const [mine, theirs] = [{ headers: { caller: '7' } }, { headers: { caller: '8' } }]

/** Serves a resource to callers who name themselves. */
function servingProjects(resource: object): Promise<Client> {
  const app = express()
  app.use((req, _res, next) => {
    Object.assign(req, { auth: { id: req.get('caller') } })
    next()
  })
  mountResource(app, { route: '/projects', name: 'projects', ...resource } as never)
  return serving(app.use(errorHandler({ log: () => undefined })))
}

/** Creates a project as one caller, who alone sees it. */
async function createsOwn(resource: object): Promise<void> {
  const { get, send } = await servingProjects(resource)
  const created = await send('POST', '/projects', { ...mine, body: { name: 'Canal' } })
  expect([created.status, created.body.data]).toMatchObject([201, { name: 'Canal' }])
  const { id } = created.body.data as { id: unknown }
  expect((await get(`/projects/${String(id)}`, mine)).body.data).toEqual(created.body.data)
  expect((await get(`/projects/${String(id)}`, theirs)).status).toBe(404)
  expect((await send('PATCH', `/projects/${String(id)}`, { ...mine, body: { name: 'Lock' } })).status).toBe(200)
}

const ofSql = programs.filter(([library]) => library !== 'mongoose')

describe.each(ofSql)('a scope through a relation by %s', (library, file) => {
  let place: Place<Tables>
  beforeAll(async () => {
    place = await openPlace<Tables>('postgres')
    await sql`create table projects (id integer generated by default as identity primary key, name text not null)`
      .execute(place.admin)
    await sql`create table members (${sql.ref('projectId')} integer not null, ${sql.ref('userId')} integer not null)`
      .execute(place.admin)
    process.env.RECIPE_URL = place.url
  })
  beforeEach(async () => {
    await sql`truncate projects, members restart identity`.execute(place.admin)
    await place
      .admin
      .insertInto('projects')
      .values(['Bridge', 'Tunnel', 'Tower', 'Harbour', 'Airport'].map((name) => ({ name })))
      .execute()
    await place.admin.insertInto('members').values([1, 3, 5].map((projectId) => ({ projectId, userId: 7 }))).execute()
    await place.admin.insertInto('members').values([{ projectId: 2, userId: 8 }, { projectId: 1, userId: 8 }]).execute()
  })
  afterAll(async () => {
    await (await import(file) as { close: () => Promise<void> }).close()
    await place.drop()
  })

  it.each(resourcesOf(library))('applies to lists, totals, cursors, single records, changes and bulk, as %s',
    async (name) => {
      const { [name]: resource = {} } = await import(file) as Record<string, object>
      const { get, send } = await servingProjects(resource)
      expect((await get('/projects?limit=2', mine)).body).toMatchObject({
        data: [{ name: 'Bridge' }, { name: 'Tower' }],
        meta: { total: 3 },
      })
      expect((await get('/projects', theirs)).body).toMatchObject({ data: [{ id: 1 }, { id: 2 }], meta: { total: 2 } })
      const { next } = (await get('/projects?cursor=&limit=2', mine)).body.meta
      expect((await get(`/projects?limit=2&cursor=${String(next)}`, mine)).body).toMatchObject({
        data: [{ id: 5 }],
        meta: { next: null },
      })
      expect((await get('/projects?ids=1&ids=2&ids=5', mine)).body.data).toMatchObject([{ id: 1 }, { id: 5 }])
      expect((await get('/projects/2', mine)).status).toBe(404)
      expect((await send('PATCH', '/projects/2', { ...mine, body: { name: 'Mine' } })).status).toBe(404)
      expect((await send('PATCH', '/projects/1', { ...theirs, body: { name: 'Bridges' } })).body.data).toMatchObject({
        name: 'Bridges',
      })
      expect((await send('DELETE', '/projects', { ...mine, body: { ids: [1, 2] } })).status).toBe(404)
      expect((await send('DELETE', '/projects?ids=3&ids=5', mine)).status).toBe(200)
      expect((await get('/projects', mine)).body.meta).toMatchObject({ total: 1 })
    })

  it.each(resourcesOf(library))('lets a caller create a record of the scope, as %s', async (name) => {
    const { [name]: resource = {} } = await import(file) as Record<string, object>
    await createsOwn(resource)
  })

  it('refuses and undoes a record that no hook brings into the scope', async () => {
    const { projectStore, ofMember } = await import(file) as {
      projectStore: Store<{ id: number; name: string }>
      ofMember: (userId: number) => RawCondition
    }
    const resource = crud(projectStore, {
      input: z.object({ name: z.string() }),
      output: z.object({ id: z.int(), name: z.string() }),
      scope: (req) => [ofMember(Number(req.auth?.id))],
      bulk: true,
    })
    const { send } = await servingProjects(resource)
    const items = [{ name: 'Canal' }, { name: 'Lock' }]
    expect((await send('POST', '/projects', { ...mine, body: items[0] })).status).toBe(403)
    expect((await send('POST', '/projects/bulk', { ...mine, body: { items } })).status).toBe(403)
    expect(await place.admin.selectFrom('projects').select('id').execute()).toHaveLength(5)
  })
})

describe('a scope through a relation by mongoose', () => {
  const [, file = ''] = programs.find(([library]) => library === 'mongoose') ?? []
  let mongod: Awaited<ReturnType<typeof startMongod>>
  beforeAll(async () => {
    mongod = await startMongod()
    process.env.RECIPE_URL = mongod.url
  })
  afterAll(async () => {
    await (await import(file) as { close: () => Promise<void> }).close()
    await mongod.stop()
  })

  it.each(resourcesOf('mongoose'))('lets a caller create a record of the scope, as %s', async (name) => {
    const { [name]: resource = {} } = await import(file) as Record<string, object>
    await createsOwn(resource)
  })
})
