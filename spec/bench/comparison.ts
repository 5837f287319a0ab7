import type { Shape } from './servers/data.js'

/** The servers that are compared, in the order of the tables. */
export const SERVERS = [
  { key: 'raw', label: 'raw `node:http`', file: 'raw', router: true },
  { key: 'ours', label: '**resourcery**, `serve`', file: 'ours', router: true, real: 'real/ours',
    growth: 'growth/ours' },
  { key: 'ours-tagged', label: '**resourcery**, `serve`, `ETag` and `X-Powered-By`', file: 'ours-tagged' },
  { key: 'ours-listen', label: '**resourcery**, `app.listen`', file: 'ours-listen', router: true,
    real: 'real/ours-listen' },
  { key: 'ours-plain', label: '**resourcery**, `serve`, `fast: false`', file: 'ours-plain', router: true,
    real: 'real/ours-plain' },
  { key: 'fastify', label: 'Fastify', file: 'peers/fastify', router: true, real: 'real/fastify',
    growth: 'growth/fastify' },
  { key: 'hono', label: 'Hono', file: 'peers/hono' },
  { key: 'express', label: 'plain Express, `app.listen`', file: 'peers/express-listen', router: true,
    real: 'real/express', growth: 'growth/express' },
  { key: 'express-serve', label: 'plain Express, `serve`', file: 'peers/express-serve', router: true },
  { key: 'nest', label: 'NestJS on Express', file: 'peers/nest' },
  { key: 'tsoa', label: 'tsoa', file: 'peers/tsoa/server' },
  {
    key: 'express-zod-api',
    label: 'express-zod-api',
    file: 'express-zod-api/server',
    folder: 'servers/express-zod-api/build',
  },
] as const satisfies readonly ComparedServer[]

export type ServerKey = typeof SERVERS[number]['key']

export interface ComparedServer {
  readonly key: string
  readonly label: string
  /** Its module below `servers/`, without extension. */
  readonly file: string
  /** It also has the shape `router`. */
  readonly router?: true
  /** Its module for the shapes of real applications. */
  readonly real?: string
  /** Its module for the shapes in which one number grows. */
  readonly growth?: string
  /**
   * The folder it is compiled to, which determines its packages; by default that of the fresh installation, then that
   * of the bench.
   */
  readonly folder?: string
}

export function serverOf(key: ServerKey): ComparedServer {
  const server = SERVERS.find((one) => one.key === key)
  if (server === undefined) throw new Error(`There is no server ${key}`)
  return server
}

/** Returns the module of a server for apps of one shape, `undefined` if there is none. */
export function fileOf({ key, file, router, real, growth }: ComparedServer, shape: Shape): string | undefined {
  switch (shape) {
    case 'app':
      return file
    case 'router':
      return router === true ? file : undefined
    case 'documents':
      // Express makes no documents.
      return key === 'express' ? undefined : growth
    case 'routes':
    case 'lists':
    case 'bodies':
    case 'cursors':
      return growth
    default:
      return real
  }
}

/** Returns those of the servers that have apps of one shape. */
export function serversWith(shape: Shape, keys: readonly ServerKey[]): ServerKey[] {
  return keys.filter((key) => fileOf(serverOf(key), shape) !== undefined)
}
