/** The servers that are compared, in the order of the tables. */
export const SERVERS = [
  { key: 'raw', label: 'raw `node:http`', file: 'raw', from: 'installed' },
  { key: 'ours', label: '**resourcery**, `serve`', file: 'ours', from: 'installed' },
  { key: 'ours-listen', label: '**resourcery**, `app.listen`', file: 'ours-listen', from: 'installed' },
  { key: 'fastify', label: 'Fastify', file: 'peers/fastify', from: 'peers' },
  { key: 'express', label: 'Express by hand, `app.listen`', file: 'peers/express-listen', from: 'installed' },
  { key: 'express-serve', label: 'Express by hand, `serve`', file: 'peers/express-serve', from: 'installed' },
] as const satisfies readonly ComparedServer[]

export type ServerKey = typeof SERVERS[number]['key']

export interface ComparedServer {
  readonly key: string
  readonly label: string
  /** Its module below `servers/`, without the ending. */
  readonly file: string
  /** Whose packages it finds: the fresh installation's, as a user of ours has them, or those of the bench. */
  readonly from: 'installed' | 'peers'
}

export function serverOf(key: ServerKey): ComparedServer {
  const server = SERVERS.find((one) => one.key === key)
  if (server === undefined) throw new Error(`There is no server ${key}`)
  return server
}
