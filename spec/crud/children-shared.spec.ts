import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { servingRoutes } from './serving.js'

/* Two resources on the same stores, such as those of two applications, have the same children. */

interface Album {
  id: number
  title: string
  version: number
}
interface Track {
  id: number
  albumId: number
  name: string
}
interface Note {
  id: number
  trackId: number
  text: string
}

const VERSIONED = { version: 'version', ifMatch: 'optional' } as const

async function serve(...versions: readonly (typeof VERSIONED | object)[]) {
  const albums = memoryStore<Album>({ key: 'id', defaults: { version: 1 } })
  const tracks = memoryStore<Track>({ key: 'id' })
  const notes = memoryStore<Note>({ key: 'id' })
  const { send } = await servingRoutes((app) => {
    for (const [at, version] of versions.entries()) {
      const ofNotes = crud(notes, {
        input: z.object({ trackId: z.int(), text: z.string() }),
        output: z.object({ id: z.int(), text: z.string() }),
        references: { trackId: false },
      })
      const ofTracks = crud(tracks, {
        input: z.object({ albumId: z.int(), name: z.string() }),
        output: z.object({ id: z.int(), name: z.string() }),
        references: { albumId: false },
        children: { notes: { of: ofNotes, column: 'trackId' } },
      })
      const ofAlbums = crud(albums, {
        input: z.object({ title: z.string() }),
        output: z.object({ id: z.int(), title: z.string() }),
        children: { tracks: { of: ofTracks, column: 'albumId' } },
        ...version,
      })
      mountResource(app, { route: `/${at}/albums`, name: `app${at}.albums`, ...ofAlbums })
      mountResource(app, { route: `/${at}/notes`, name: `app${at}.notes`, ...ofNotes })
    }
  })
  const versionOf = async (id: number): Promise<number | undefined> => (await albums.find([id]))[0]?.version
  return { send, versionOf, albums }
}

const album = { title: 'A', tracks: [{ name: 'x', notes: [{ text: 'n' }] }, { name: 'y' }] }

describe('children of two resources on the same stores', () => {
  it.each([0, 1])('are written by resource %i, and count the version of the record up once', async (at) => {
    const { send, versionOf } = await serve(VERSIONED, VERSIONED)
    const created = await send('POST', `/${at}/albums`, { body: album })
    expect([created.status, await versionOf(1)]).toEqual([201, 1])
    const body = { tracks: [{ id: 1, notes: [{ text: 'm' }] }] }
    const changed = await send('PATCH', `/${at}/albums/1`, { body,
      headers: { 'If-Match': String(created.headers.get('etag')) } })
    expect([changed.status, await versionOf(1)]).toEqual([200, 2])
    const next = await send('PATCH', `/${at}/albums/1`, {
      body: { title: 'B' },
      headers: { 'If-Match': String(changed.headers.get('etag')) },
    })
    expect([next.status, await versionOf(1)]).toEqual([200, 3])
  })

  it('count the version up once if they are written by themselves', async () => {
    const { send, versionOf } = await serve(VERSIONED, VERSIONED, VERSIONED)
    await send('POST', '/1/albums', { body: album })
    expect((await send('PATCH', '/2/notes/1', { body: { text: 'm' } })).status).toBe(200)
    expect(await versionOf(1)).toBe(2)
  })

  it('cause a logged 500 where the version of the record cannot be counted up: no caller writes it', async () => {
    const { send, albums } = await serve(VERSIONED)
    await send('POST', '/0/albums', { body: album })
    await albums.update(1, { version: 'broken' as never })
    expect((await send('PATCH', '/0/notes/1', { body: { text: 'm' } })).body).toMatchObject({ code: 500, data: null })
    expect((await send('PATCH', '/0/albums/1', { body: { title: 'B' } })).body).toMatchObject({ code: 500, data: null })
  })

  it('are written by a resource that has no version', async () => {
    const { send, versionOf } = await serve(VERSIONED, {})
    await send('POST', '/0/albums', { body: album })
    expect((await send('PATCH', '/1/albums/1', { body: { tracks: [{ id: 1, name: 'z' }] } })).status).toBe(200)
    expect(await versionOf(1)).toBeGreaterThan(1)
  })
})

describe('children on the store of their records', () => {
  interface Topic {
    id: number
    title: string
    parentId: number | null
    version: number
  }

  /** Serves topics, by their ids and the ids of those above them. */
  async function serveTopics(ids: readonly (readonly [id: number, parentId: number | null])[]) {
    const rows = ids.map(([id, parentId]) => ({ id, parentId, title: 'old', version: 1 }))
    const topics = memoryStore<Topic>({ key: 'id', rows })
    const input = z.object({ title: z.string(), parentId: z.int().nullable().optional() })
    const output = z.object({ id: z.int(), title: z.string() })
    const below = crud(topics, { input, output })
    const { send } = await servingRoutes((app) => {
      mountResource(app, {
        route: '/topics',
        name: 'topics',
        ...crud(topics, { input, output, ...VERSIONED, children: { below: { of: below, column: 'parentId' } } }),
      })
    })
    const stored = () => topics.find(ids.map(([id]) => id))
    return { send, stored }
  }

  it('count each version up once where records are children of each other', async () => {
    const { send, stored } = await serveTopics([[1, 2], [2, 1], [3, 3], [4, 2]])
    const versions = async () => (await stored()).map(({ version }) => version)
    expect((await send('PATCH', '/topics/1', { body: { title: 'new' } })).status).toBe(200)
    expect(await versions()).toEqual([2, 2, 1, 1])
    expect((await send('PATCH', '/topics/3', { body: { title: 'new' } })).status).toBe(200)
    expect((await send('PATCH', '/topics/4', { body: { below: [{ title: 'x' }] } })).status).toBe(200)
    expect(await versions()).toEqual([3, 3, 2, 2])
    expect((await send('DELETE', '/topics/4')).status).toBe(200)
    expect(await versions()).toEqual([4, 4, 2])
  })

  it('are deleted together with their records', async () => {
    const { send, stored } = await serveTopics([[1, null], [2, 1], [3, 1], [4, null], [5, 5], [6, null]])
    const deleted = await send('DELETE', '/topics?ids=2,1,4')
    expect([deleted.status, deleted.body.meta]).toEqual([200, { deleted: 3 }])
    expect((await send('DELETE', '/topics/5')).status).toBe(200)
    expect((await stored()).map(({ id }) => id)).toEqual([6])
  })
})
