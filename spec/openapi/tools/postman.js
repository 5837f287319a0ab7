// Imports a document as a Postman collection and sends each of its requests, in their order, to a blog with fresh seeds.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import newman from 'newman'
import { signIn } from './blog.js'
import { folder } from './generate.js'

const require = createRequire(import.meta.url)
const { convertV2 } = require('openapi-to-postmanv2')

/** They need a record that was deleted before, or ids, which have no example: a click would delete records. */
const EXCLUDED = /\/(?:restore|purge)$/
const needsIds = ({ method, url }) => method === 'DELETE' && (url.query ?? []).some(({ key }) => key === 'ids')

const AVATAR = new URL('avatar.png', import.meta.url)

/** @throws Error where a reply is not 2xx; `origin` gives the tokens, and `files: false` leaves uploads out. */
export async function postman(url, { origin = url, files = true } = {}) {
  const data = readFileSync(`${folder}openapi.json`, 'utf8')
  const collection = await new Promise((resolve, reject) => {
    convertV2(
      { type: 'string', data },
      // A page sends optional parameters only where somebody fills them in: they have no examples.
      { parametersResolution: 'Example', enableOptionalParameters: false },
      (error, { result, reason, output }) => (result ? resolve(output[0].data) : reject(error ?? new Error(reason))),
    )
  })
  const tokens = { admin: await signIn(origin, 'admin'), shop: await signIn(origin, 'shop') }
  const requests = requestsIn(collection.item)
    .filter(({ request }) => !EXCLUDED.test(request.url.path.join('/')) && !needsIds(request))
    .filter(({ request }) => (files || request.body?.mode !== 'formdata'))
  for (const { request } of requests) {
    request.auth = { type: 'bearer', bearer: [{ key: 'token', value: tokens[request.url.path[0]] }] }
    for (const field of request.body?.formdata ?? []) if (field.type === 'file') field.src = AVATAR.pathname
  }
  const summary = await new Promise((resolve, reject) => {
    newman.run(
      { collection: { ...collection, item: requests }, envVar: [{ key: 'baseUrl', value: url }] },
      (error, done) => (error ? reject(error) : resolve(done)),
    )
  })
  const failed = summary.run.executions.filter(({ response }) => !(response?.code >= 200 && response.code < 300))
    .map(({ item, request, response }) => `${request.method} ${item.name}: ${response?.code} ${response?.text()}`)
  if (failed.length > 0) throw new Error(failed.join('\n'))
  if (summary.run.executions.length !== requests.length) {
    throw new Error(`${summary.run.executions.length} of ${requests.length} requests were sent`)
  }
}

function requestsIn(items) {
  return items.flatMap((item) => (item.item === undefined ? [item] : requestsIn(item.item)))
}
