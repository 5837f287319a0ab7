import { STATUS_PHRASES } from '../../../core/index.js'
import type { Resolve } from '../../openapi/fields.js'
import type { Content, JsonSchema, OpenApiDocument, Operation, Response } from '../../openapi/types.js'
import { cookieFaults } from './cookie-faults.js'
import type { Trace } from './crashes.js'
import { echoFaults } from './echoes.js'
import { misfitOf } from './fits.js'
import { propertiesOf } from './collections.js'
import type { Leaks } from './leaks.js'
import { targetOf } from './send.js'
import type { CheckRequest, Fault, Observed, Target } from './model.js'

/** Reads the parts of another envelope; it throws, or returns `undefined`, for what is none. */
export type DecodeEnvelope = (status: number, body: unknown) => unknown

/** The expectations that replies are compared with. */
export interface Judge {
  readonly document: OpenApiDocument
  readonly resolve: Resolve
  readonly leaks: Leaks
  readonly decode: DecodeEnvelope | undefined
  /** The longest time until the end of a reply, in milliseconds. */
  readonly limit: number
}

export function replyFaults(judge: Judge, target: Target, request: CheckRequest, observed: Observed): Fault[] {
  const { crash, failed, status, milliseconds } = observed
  if ('crash' in observed) return [crashFault(crash)]
  if (failed === 'time' || milliseconds > judge.limit) {
    return [{ kind: 'time', message: `There is no reply within ${judge.limit / 1000} seconds` }]
  }
  if (failed === 'cut') return [{ kind: 'failure', message: 'The connection is closed before the end of a reply' }]
  const faults = [...besideFaults(observed), ...echoFaults(request, observed), ...cookieFaults(observed)]
  const leak = judge.leaks.find(observed, sentText(request), request.method === 'GET')
  if (leak !== undefined) faults.push({ kind: 'leak', message: `${leak} (${status})` })
  if (isFailure(target, status)) faults.push({ kind: 'failure', message: `The reply is ${statusText(status)}` })
  const misfit = envelopeFault(judge, target, request, observed)
  if (misfit !== undefined) faults.push({ kind: 'envelope', message: `${misfit} (${status})` })
  else if (observed.reached !== undefined && isSameRoute(target, observed)) {
    faults.push(...documentFaults(judge, target, request, observed))
  }
  return faults
}

const TWICE: Fault = { kind: 'reply', message: 'The handler sends a second reply after the first' }

/** Returns the fault of what has happened after a reply. */
export function lateFault(trace: Trace): Fault {
  if ('crash' in trace) return crashFault(trace.crash)
  const [emitter = 'an emitter'] = /\d+ \S+ listeners added to .*?(?=\. )/.exec(trace.warning ?? '') ?? []
  return trace.warning === undefined
    ? TWICE
    : { kind: 'handle', message: `Each request leaves a listener: ${emitter}` }
}

function crashFault(crash: unknown): Fault {
  return { kind: 'crash', message: `The process would have ended: ${firstLine(crash)}` }
}

/** Returns the faults of what was seen besides the reply. */
function besideFaults({ isTwice, polluted }: Observed): Fault[] {
  const state: Fault[] = polluted === undefined
    ? []
    : [{ kind: 'state', message: `The request adds \`${polluted}\` to the prototype of all objects` }]
  return isTwice ? [TWICE, ...state] : state
}

export function sentText(request: CheckRequest): string {
  const { body, headers } = request
  const url = targetOf(request)
  const pairs = request.query.flat().join('\n')
  return [url, decodeText(url), pairs, JSON.stringify(headers), JSON.stringify(body), textsIn(body).join('\n')].join(
    '\n',
  )
}

function decodeText(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export function statusText(status: number): string {
  return `${status} ${STATUS_PHRASES[status] ?? ''}`.trim()
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split('\n')[0] ?? ''
}

/** A 503 is a service that is down, and any other declared status is meant. */
function isFailure({ entry }: Target, status: number): boolean {
  return status >= 500 && status !== 503 && (status === 500 || entry?.statuses.includes(status) !== true)
}

export function isSameRoute({ entry, method }: Target, { reached }: Observed): boolean {
  return entry !== undefined && reached?.name === entry.name && reached.ownPath === entry.ownPath
    && reached.method === method
}

function isJsonType(observed: Observed): boolean {
  return /^application\/(?:.+\+)?json/i.test(typeOf(observed))
}

function typeOf({ headers }: Observed): string {
  return headers['content-type']?.[0] ?? ''
}

const BODILESS = new Set([204, 205, 304])

/** Replies without an envelope: those without a body, files and exports, and what an undeclared handler sends. */
function isException({ entry }: Target, { method }: CheckRequest, { status, reached, json }: Observed): boolean {
  if (method === 'HEAD' || method === 'OPTIONS' || BODILESS.has(status)) return true
  if (status >= 400) return Object.hasOwn(propertiesOf(json), 'jsonrpc')
  return status >= 300 || entry === undefined || reached === undefined || reached.produces !== undefined
}

function envelopeFault(judge: Judge, target: Target, request: CheckRequest, observed: Observed): string | undefined {
  if (isException(target, request, observed)) return undefined
  const { status, json } = observed
  if (!isJsonType(observed)) return `The reply is no envelope, but ${typeOf(observed) || 'without a media type'}`
  if (judge.decode !== undefined) return decodeFault(judge.decode, status, json)
  return typeof json === 'object' && json !== null ? keysFault(json, status) : 'The body is no JSON object'
}

function keysFault(json: object, status: number): string | undefined {
  const { code, message, meta } = propertiesOf(json)
  if (Object.keys(json).sort().join() !== 'code,data,message,meta') {
    return 'The body is no envelope: its keys are not `code`, `message`, `data` and `meta`'
  }
  if (code !== status) return `\`code\` is ${JSON.stringify(code)}`
  if (typeof message !== 'string') return '`message` is no string'
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return '`meta` is no object'
  return reasonFault(status, message, meta)
}

function reasonFault(status: number, message: string, { reason }: { readonly reason?: unknown }): string | undefined {
  if (status >= 400) return typeof reason === 'string' ? undefined : '`meta.reason` is no string'
  return FAILED.test(message) || reason !== undefined ? 'The reply is a success that tells of a failure' : undefined
}

/** Messages of failures. */
const FAILED = new RegExp(
  [
    '^(?:internal (?:server )?)?error\\b',
    '\\bnot found\\W*$',
    '^(?:failed|invalid)\\b',
    '^(?:permission denied|forbidden|unauthori[sz]ed)\\W*$',
  ].join('|'),
  'i',
)

function decodeFault(decode: DecodeEnvelope, status: number, json: unknown): string | undefined {
  try {
    const parts = decode(status, json)
    if (typeof parts === 'object' && parts !== null && 'message' in parts) return undefined
  } catch {
    // It is reported below.
  }
  return 'The body is not what `decode` reads'
}

/** Statuses of refusals that every API may give: a document names them once, as the default. */
const COMMON = new Set([400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 416, 417, 422, 428, 429, 431, 500, 503])

function documentFaults(judge: Judge, target: Target, { method }: CheckRequest, observed: Observed): Fault[] {
  const { operation } = target
  const { status } = observed
  if (operation === undefined || method === 'HEAD' || method === 'OPTIONS') return []
  const response = responseOf(operation, status, judge.document)
  if (response === undefined) {
    return COMMON.has(status) || status === 304 || isFailure(target, status)
      ? []
      : [{ kind: 'document', message: `The document of the route does not name the status ${status}` }]
  }
  const fault = contentFault(judge, response.content, observed)
  return fault === undefined ? [] : [{ kind: 'document', message: `${fault} (${status})` }]
}

function responseOf({ responses }: Operation, status: number, document: OpenApiDocument): Response | undefined {
  const found = responses[String(status)]
  if (found === undefined || !('$ref' in found)) return found
  const name = found.$ref.split('/').pop() ?? ''
  return document.components.responses[name]
}

function contentFault(judge: Judge, content: Content | undefined, observed: Observed): string | undefined {
  // A redirect has a sentence for clients that do not follow it.
  if (observed.status >= 300 && observed.status < 400) return undefined
  if (content === undefined) return observed.text === '' ? undefined : 'The document names no body for the reply'
  const [type = ''] = typeOf(observed).split(';')
  const media = content[type.trim().toLowerCase()]
  if (media !== undefined) return schemaFault(judge, media.schema, observed)
  return isNamed(content, type) ? undefined : `The document does not name the media type ${type}`
}

function schemaFault({ resolve }: Judge, schema: JsonSchema, { json, status }: Observed): string | undefined {
  if (json === undefined) return undefined
  const { data } = resolve(schema).properties ?? {}
  const isWhole = data === undefined || status >= 400
  const misfit = misfitOf(schema, json, { resolve, isClosed: false })
    ?? (isWhole ? undefined : misfitOf(data, propertiesOf(json).data, { resolve, isClosed: true }, '.data'))
  return misfit && `The reply does not fit the document: ${misfit}`
}

function isNamed(content: Content, type: string): boolean {
  return Object.keys(content).some((one) => one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
}
