import { createServer } from 'node:http'
import { http } from '@google-cloud/functions-framework'
import { getTestServer } from '@google-cloud/functions-framework/testing'
import { app } from './app.mjs'

/*
 * Servers of platforms that call `(req, res) => app(req, res)` and have read the body before.
 */

const handler = (req, res) => app(req, res)
http('app', handler)

/** Each with the statuses that the platform decides itself: what it has parsed has no limit of ours. */
export const hosts = {
  'Google Cloud Functions': {
    server: () => getTestServer('app'),
    decides: [400, 413],
  },
  'a platform that parses on first use, such as Vercel': { server: () => createServer(withLazyBody), decides: [413] },
  'a platform that passes the request on': { server: () => createServer(handler), decides: [] },
}

/** Reads the body, and gives the handler a getter that parses it, as `@vercel/node` does. */
async function withLazyBody(req, res) {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const content = Buffer.concat(chunks)
  const type = req.headers['content-type'] ?? ''
  Object.defineProperty(req, 'body', {
    configurable: true,
    get() {
      if (content.length === 0) return undefined
      if (type.startsWith('application/json')) return JSON.parse(content.toString())
      if (type.startsWith('application/x-www-form-urlencoded')) {
        return Object.fromEntries(new URLSearchParams(content.toString()))
      }
      return type.startsWith('text/plain') ? content.toString() : content
    },
  })
  handler(req, res)
}
