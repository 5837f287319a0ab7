import { expect } from 'vitest'
import type { Client, SendOptions } from './client.js'

/** A request, then the status and reason of its reply, and optionally what else the reply contains. */
export type Case = readonly [path: string, options: SendOptions, status: number, reason?: string | undefined,
  rest?: object]

/** Checks that each reply is an envelope of its status, in the order of the requests. */
export async function checkEnvelopes(client: Client, cases: readonly Case[]): Promise<void> {
  for (const [path, options, status, reason, rest] of cases) {
    const reply = await client.send(path, options)
    const title = `${options.method ?? ''} ${path} ${JSON.stringify(options)}: ${reply.text}`
    expect([reply.status, reply.type], title).toEqual([status, 'application/json; charset=utf-8'])
    const shape = { code: status, message: expect.any(String) as string, meta: expect.any(Object) as object }
    expect(reply.json, title).toMatchObject({ ...shape, ...(reason !== undefined && { meta: { reason } }), ...rest })
    expect(Object.keys(reply.json as object), title).toEqual(['code', 'message', 'data', 'meta'])
  }
}
