import type { Express } from 'express'
import { onTestFinished } from 'vitest'
import { serve, type Served, type ServeOptions } from 'resourcery'

/** Serves an app on a free port until the test ends; without waiting for open requests. */
export async function served(app: Express, options: ServeOptions = {}): Promise<Served> {
  const running = await serve(app, {
    port: 0,
    host: '127.0.0.1',
    signals: false,
    drain: 0,
    log: () => undefined,
    ...options,
  })
  onTestFinished(async () => {
    running.server.closeAllConnections()
    await Promise.allSettled([running.close()])
  })
  return running
}
