import { inspect } from 'node:util'
import express from 'express'
import { expect, vi } from 'vitest'
import { errorHandler } from 'resourcery'
import { serving } from './http.js'

/** Returns the text of the default log of an app for an error. */
export async function logged(error: unknown): Promise<string> {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  try {
    const app = express()
    app.get('/', () => {
      throw error
    })
    const { status } = await (await serving(app.use(errorHandler()))).get('/')
    expect([500, 503]).toContain(status)
    return log.mock.calls.flat().map((part) => inspect(part, { depth: 10, showHidden: true })).join(' ')
  } finally {
    log.mockRestore()
  }
}
