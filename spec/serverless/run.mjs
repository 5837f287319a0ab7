import { deepEqual, notEqual } from 'node:assert/strict'
import { configure } from '@codegenie/serverless-express'
import jsonwebtoken from 'jsonwebtoken'
import serverlessHttp from 'serverless-http'
import { app, SECRET } from './app.mjs'
import { hosts } from './hosts.mjs'

/*
 * Sends events of AWS to the built package through adapters of AWS Lambda, requests to servers that call it as a
 * function, and tokens to a `verify` by jsonwebtoken: `npm run test:serverless`.
 */

const adapters = { 'serverless-http': serverlessHttp(app), '@codegenie/serverless-express': configure({ app }) }

const context = { awsRequestId: '1', getRemainingTimeInMillis: () => 10_000 }
const http = { sourceIp: '127.0.0.1', protocol: 'HTTP/1.1' }

/** The events by their source. */
const events = {
  'API Gateway v2': ({ method, path, headers, ...body }) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers,
    ...body,
    requestContext: { http: { ...http, method, path }, stage: '$default', requestId: '1' },
  }),
  'API Gateway v1': ({ method, path, headers, ...body }) => ({
    version: '1.0',
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers,
    queryStringParameters: null,
    ...body,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    multiValueQueryStringParameters: null,
    requestContext: { identity: { sourceIp: '127.0.0.1' }, path, httpMethod: method, stage: 'prod', requestId: '1' },
  }),
  'a load balancer': ({ method, path, headers, ...body }) => ({
    httpMethod: method,
    path,
    headers,
    queryStringParameters: {},
    ...body,
    requestContext: { elb: { targetGroupArn: 'arn' } },
  }),
}

const JSON_TYPE = 'application/json'
const BOUNDARY = 'a-boundary'
const form = (...parts) =>
  `${
    parts.map(([head, content]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`)
      .join('')
  }--${BOUNDARY}--\r\n`
const file = form(['name="title"', 'A'], ['name="file"; filename="a.txt"', 'hello'])
const token = (options) => jsonwebtoken.sign({ id: 7 }, SECRET, options)

/** Method, path, type and content of the request, then status and data of the reply. */
const cases = [
  ['GET', '/notes/1', undefined, undefined, 200, { id: 1, title: 'Milk' }],
  ['PUT', '/notes/1', JSON_TYPE, '{"title":"Milk"}', 200, { id: 1, title: 'Milk' }],
  ['PATCH', '/notes/1', 'application/x-www-form-urlencoded', 'title=Milk', 200, { id: 1, title: 'Milk' }],
  ['POST', '/notes', JSON_TYPE, '{"title":', 400, null],
  ['POST', '/notes', JSON_TYPE, '{"title":"M"}', 422, { title: ['Must have at least 2 characters'] }],
  ['POST', '/notes', 'text/plain', 'Milk', 415, null],
  ['POST', '/notes', JSON_TYPE, JSON.stringify({ title: 'x'.repeat(110_000) }), 413, null],
  ['POST', '/files', `multipart/form-data; boundary=${BOUNDARY}`, file, 200, { size: 5, title: 'A' }],
  ['POST', '/files', `multipart/form-data; boundary=${BOUNDARY}`, form(['name="title"', 'A']), 422, {
    file: ['A file is required'],
  }],
  ['POST', '/files', `multipart/form-data; boundary=${BOUNDARY}`, file.replace('hello', 'x'.repeat(1001)), 413, null],
  ['GET', '/desk/tasks/1', undefined, undefined, 200, { id: 1, by: 7 }, token({ expiresIn: 60 })],
  ['GET', '/desk/tasks/1', undefined, undefined, 401, null, token({ expiresIn: -60 })],
  ['GET', '/desk/tasks/1', undefined, undefined, 401, null, token({ notBefore: 60 })],
  ['GET', '/desk/tasks/1', undefined, undefined, 401, null, `${token({})}x`],
  ['GET', '/desk/tasks/1', undefined, undefined, 401, null, 'no token'],
]

for (const [adapter, handle] of Object.entries(adapters)) {
  for (const [source, toEvent] of Object.entries(events)) {
    for (const isBase64Encoded of [false, true]) {
      for (const [method, path, type, content, status, data, bearer] of cases) {
        const headers = {
          host: 'example.test',
          ...(type !== undefined && { 'content-type': type }),
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        }
        const body = content === undefined ? null : isBase64Encoded ? Buffer.from(content).toString('base64') : content
        const result = await handle(
          toEvent({ method, path, headers, body, isBase64Encoded: isBase64Encoded && body !== null }),
          context,
        )
        const text = result.isBase64Encoded ? Buffer.from(result.body, 'base64').toString() : result.body
        deepEqual([result.statusCode, JSON.parse(text).data], [status, data],
          `${adapter}, ${source}: ${method} ${path}: ${text.slice(0, 200)}`)
      }
      const event = toEvent({
        method: 'POST',
        path: '/undeclared',
        headers: { 'content-type': JSON_TYPE },
        body: '{"a":1}',
        isBase64Encoded: false,
      })
      deepEqual(JSON.parse((await handle(event, context)).body), { a: 1 })
    }
    console.log(`ok      ${adapter}, ${source}`)
  }
}

for (const [name, { server, decides }] of Object.entries(hosts)) {
  const listening = server().listen(0)
  const url = `http://localhost:${listening.address().port}`
  for (const [method, path, type, content, status, data, bearer] of cases) {
    const headers = {
      ...(type !== undefined && { 'content-type': type }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    }
    const response = await fetch(`${url}${path}`, { method, headers, body: content })
    const text = await response.text()
    const title = `${name}: ${method} ${path}: ${text.slice(0, 200)}`
    if (decides.includes(status) && type === JSON_TYPE) notEqual(response.status, 500, title)
    else deepEqual([response.status, JSON.parse(text).data], [status, data], title)
  }
  listening.close()
  console.log(`ok      ${name}`)
}
