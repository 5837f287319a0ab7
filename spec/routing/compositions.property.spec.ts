import { createServer } from 'node:http'
import type { Express } from 'express'
import fc from 'fast-check'
import { beforeAll, expect, it, vi } from 'vitest'
import { serve } from 'resourcery'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'
import { clientOf, closed, type Client } from '../support/http.js'
import { isRefused } from '../support/refused.js'
import { compose, composition, compositionTarget, headersOf, requestsTo,
  type CompositionRequest } from './composition.js'

// Random apps cause warnings, which `resource/start-checks.spec.ts` tests.
beforeAll(() => {
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  return () => spy.mockRestore()
})

/** The ways to serve an app, each with what ends it. */
const WAYS: readonly (readonly [string, (app: Express) => Promise<readonly [client: Client, end: () => unknown]>])[] = [
  ['app.listen', async (app) => {
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { readonly port: number }
    return [clientOf(`http://127.0.0.1:${port}`, server), () => closed(server)]
  }],
  ['serve', (app) => byServe(app, true)],
  ['serve without the fast path', (app) => byServe(app, false)],
]

async function byServe(app: Express, fast: boolean): Promise<readonly [Client, () => unknown]> {
  const { url, server, close } = await serve(app, {
    port: 0,
    host: '127.0.0.1',
    signals: false,
    drain: 0,
    fast,
    log: () => undefined,
  })
  return [clientOf(url, server), () => {
    server.closeAllConnections()
    return close()
  }]
}

async function statusesOf(client: Client, requests: readonly CompositionRequest[]): Promise<number[]> {
  const statuses: number[] = []
  for (const request of requests) {
    const { status } = await client.send(request.method, request.path, { headers: headersOf(request) })
    statuses.push(status)
  }
  return statuses
}

it('no composition lets a request without authentication past `auth`, or a caller past a denying `permission`',
  async () => {
    await fc.assert(
      fc.asyncProperty(composition, fc.array(compositionTarget, { minLength: 1, maxLength: 4 }),
        async (composed, targets) => {
          const requests = targets.flatMap(requestsTo)
          const { app, findings, isUncertain } = compose(composed)
          fc.pre(!isRefused(app))
          const replies: number[][] = []
          for (const [, start] of WAYS) {
            const [client, end] = await start(app)
            replies.push(await statusesOf(client, requests))
            await end()
            expect(findings).toEqual([])
          }
          const [plain, fast, switched] = replies
          expect(plain).toEqual(switched)
          for (const [at, status = 0] of plain?.entries() ?? []) {
            const isExcepted = isUncertain && status >= 400
            expect([requests[at], isExcepted ? status : fast?.[at]]).toEqual([requests[at], status])
          }
        }),
      fuzzing(150),
    )
  }, fuzzingTimeout(60))
