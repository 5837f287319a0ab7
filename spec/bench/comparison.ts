/** The servers that are compared, in the order of the tables. */
export const SERVERS = [
  { key: 'raw', label: 'raw `node:http`', file: 'raw' },
  { key: 'ours', label: '**resourcery**, `serve`', file: 'ours' },
  { key: 'ours-tagged', label: '**resourcery**, `serve`, `ETag` and `X-Powered-By`', file: 'ours-tagged' },
  { key: 'ours-listen', label: '**resourcery**, `app.listen`', file: 'ours-listen' },
  { key: 'fastify', label: 'Fastify', file: 'peers/fastify' },
  { key: 'hono', label: 'Hono', file: 'peers/hono' },
  { key: 'express', label: 'plain Express, `app.listen`', file: 'peers/express-listen' },
  { key: 'express-serve', label: 'plain Express, `serve`', file: 'peers/express-serve' },
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
