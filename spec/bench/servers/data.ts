import type { Server } from 'node:net'

/*
 * What every server of the comparison has in common: rows in memory, so that no database is measured, and permissions.
 */

export interface Post {
  readonly id: number
  readonly title: string
  readonly content: string
  readonly category: 'news' | 'guide' | 'story'
  readonly status: number
  readonly authorId: number
  readonly createdAt: string
}

export type NewPost = Pick<Post, 'title' | 'content' | 'category' | 'status'>

export interface Thing {
  readonly id: number
  readonly name: string
}

/**
 * The structure of an app.
 *
 * `app` has its resources on the app itself and few headers, `router` has them in a Router under `/api` and all headers
 * that the framework sends by default. The others are those of `real/`.
 */
export type Shape = 'app' | 'router' | RealShape | GrowingShape

/**
 * One public resource (`public`), or 20 behind a token and permissions (`guarded`), with security headers and CORS
 * (`plugins`), with access logs (`logs`).
 */
export type RealShape = 'public' | 'guarded' | 'plugins' | 'logs' | 'plugins+logs'

/** Apps of which one number grows: routes, rows of a list, rows of a body, resources of a document, open cursors. */
export type GrowingShape = 'routes' | 'lists' | 'bodies' | 'documents' | 'cursors'

/** Starts a server with a number of resources besides the posts, or what else grows; it listens on a free port. */
export type Start = (resources: number, shape: Shape) => Server | Promise<Server>

export const SECRET = 'a secret of 32 bytes at the least, as text'
export const ROLES: Readonly<Record<string, readonly string[]>> = {
  editor: ['admin.posts.list', 'admin.posts.show'],
  guest: [],
}

const CATEGORIES = ['news', 'guide', 'story'] as const
const posts = new Map<number, Post>(Array.from({ length: 200 }, (_, at) => [at + 1, {
  id: at + 1,
  title: `${at % 3 === 0 ? 'Notes on' : 'A letter about'} subject ${at + 1}`,
  content: `What there is to say about subject ${
    at + 1
  }, "quoted" and all, in a paragraph that is neither long nor short. `
    .repeat(2),
  category: CATEGORIES[at % 3] ?? 'news',
  status: at % 2,
  authorId: 1 + (at % 60),
  createdAt: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
}]))
const things = new Map<number, Thing>(
  Array.from({ length: 10 }, (_, at) => [at + 1, { id: at + 1, name: `Thing ${at + 1}` }]),
)
const found = new Map<string, readonly Post[]>()
let newest: Post | undefined

export function findPost(id: number): Post | undefined {
  return posts.get(id)
}

/** The search is cached, since it is not part of the comparison. */
export function searchPosts(text: string): readonly Post[] {
  const known = found.get(text)
  if (known !== undefined) return known
  const matching = [...posts.values()].filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
  if (found.size < 100) found.set(text, matching)
  return matching
}

/** Keeps only the newest row, so that all requests of a round cost the same. */
export function addPost({ title, content, category, status }: NewPost): Post {
  newest = { id: 201, title, content, category, status, authorId: 1, createdAt: '2026-02-01T00:00:00.000Z' }
  return newest
}

export function newestPost(): Post | undefined {
  return newest
}

export function findThing(id: number): Thing | undefined {
  return things.get(id)
}

export function allThings(): Thing[] {
  return [...things.values()]
}

/** Keeps no rows, since no workload creates one. */
export function addThing(name: string): Thing {
  return { id: 11, name }
}
