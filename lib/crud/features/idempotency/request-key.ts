import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { hasBody, HttpError, ignoreFailure, isMap, isThenable, messageOf, MisuseError, plainBodyOf, RequestParam, show,
  stateOf, type ActionTraits, type HeaderFields, type MountedRoute } from '../../../core/index.js'
import { digest } from '../../core/index.js'
import type { IdempotencyOptions } from './options.js'

/** A String of a Structured Field (RFC 8941 §3.3.3), as the draft of the header has it. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/
/**
 * The same without its quotes, as most clients send it: without blanks, commas and semicolons it can be nothing else.
 */
const BARE = /^[!#-+\--:<-~]{1,255}$/

const PATTERN = `${QUOTED.source}|${BARE.source}`

/**
 * Returns the `Idempotency-Key` of a request (draft-ietf-httpapi-idempotency-key-header-07 §2.1), `undefined` where
 * there is none.
 *
 * @throws HttpError 400 `idempotency_key_invalid`, also for two of them.
 */
function keyOf(req: Request): string | undefined {
  const lines = req.headersDistinct['idempotency-key'] ?? []
  const [line = ''] = lines
  if (lines.length === 0) return undefined
  const key = QUOTED.exec(line)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(line)?.[0]
  if (key !== undefined && lines.length === 1) return key
  throw new HttpError(400, messageOf('idempotency_key_invalid'))
}

/** Returns the owner of a key. */
export type Identity = (req: Request) => string | number | undefined

export const signedIn: Identity = (req) => req.auth?.id

/** Returns the key of a request. @throws HttpError 400 `idempotency_key_missing`, where one is required */
export function neededKeyOf(req: Request, required: boolean): string | undefined {
  const key = keyOf(req)
  if (key !== undefined || !required) return key
  throw new HttpError(400, messageOf('idempotency_key_missing'))
}

/**
 * Returns the owner of a key: a key without one would show one caller the reply to another.
 *
 * @throws HttpError 400 `idempotency_key_anonymous`; MisuseError `idempotency_identity` for a promise or any other
 * value, which may be the same for every caller.
 */
export function ownerOf(req: Request, identity: Identity): string | number {
  const owner: unknown = identity(req)
  if (owner === undefined || owner === null || owner === '') {
    throw new HttpError(400, messageOf('idempotency_key_anonymous'))
  }
  if (typeof owner === 'string' || (typeof owner === 'number' && Number.isFinite(owner))) return owner
  ignoreFailure(owner)
  throw new MisuseError(
    'idempotency_identity',
    `\`identity\` of idempotency must return a string or a number at once, but it returned ${
      isThenable(owner) ? 'a promise' : show(owner)
    }.`,
  )
}

/**
 * Returns the means by which the caller was identified, where the id alone does not tell: two applications, strategies
 * or issuers may use the same id for different callers.
 */
export function originOf(req: Request): readonly unknown[] {
  const { auth } = req
  const { route, guards } = stateOf(req)
  if (auth === undefined) return []
  const [app, guard] = [...guards].find(([, state]) => state.auth === auth) ?? []
  const origin = [app === route?.app ? undefined : app, guard?.strategy, auth.iss]
  return origin.every((part) => part === undefined) ? [] : origin
}

/**
 * Returns a digest of method, path, query, body and files. Requests that differ in blanks or in the order of their
 * fields have the same.
 */
export async function fingerprintOf(req: Request, { name, files = {} }: MountedRoute): Promise<string> {
  if (req.body === undefined && hasBody(req) && Object.keys(files).length === 0) {
    throw new Error(
      `\`${name}\` does not read its body, so a request with an Idempotency-Key cannot be told from another one.`,
    )
  }
  const parts = await Promise.all(Object.keys(files).map((field) => fileDigests(req, field)))
  return digest([req.method, req.originalUrl, inOrder(plainBodyOf(req) ?? null), parts])
}

async function fileDigests(req: Request, field: string): Promise<unknown> {
  const digests: unknown[] = [field]
  for (const file of RequestParam.files(req, field)) {
    const hash = createHash('sha256')
    const chunks: AsyncIterable<Buffer> = file.stream()
    for await (const chunk of chunks) hash.update(chunk)
    digests.push([file.name, file.clientType, hash.digest('hex')])
  }
  return digests
}

/** Returns the same data with the keys of its maps in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isMap(value) || Object.getPrototypeOf(value) !== null) return value
  return Object.keys(value).sort().map((key) => [key, inOrder(value[key])])
}

/** The parts of an action with keys: its check before the body is read, and its headers and statuses in a document. */
export interface KeyTraits {
  readonly use: readonly RequestHandler[]
  readonly requestHeaders: HeaderFields
  readonly responseHeaders: HeaderFields
  readonly statuses: readonly number[]
}

type Options = Pick<IdempotencyOptions<never>, 'required' | 'identity' | 'seconds'>

/** Returns an action with the checks and headers of a key. */
export function withKeyTraits<Spec extends Pick<ActionTraits, keyof KeyTraits>>(
  spec: Spec,
  { required = false, identity = signedIn, seconds = 86_400 }: Options,
): Spec & KeyTraits {
  const description =
    `A unique string for this request, such as a UUID: a repeat within ${seconds} seconds gets the first reply`
  return {
    ...spec,
    use: [keyCheck(required, identity), ...[spec.use ?? []].flat()],
    requestHeaders: { 'Idempotency-Key': { description, required, pattern: PATTERN }, ...spec.requestHeaders },
    responseHeaders: {
      'Idempotency-Replayed': {
        description: '`true` if this is the reply to an earlier request with the same Idempotency-Key',
      },
      ...spec.responseHeaders,
    },
    statuses: [400, 409, 422, ...(spec.statuses ?? [])],
  }
}

/**
 * Refuses, before a byte of the body is read, an invalid key, one without an owner, and a missing one where one is
 * required.
 */
function keyCheck(required: boolean, identity: Identity): RequestHandler {
  return (req, _res, next) => {
    if (neededKeyOf(req, required) !== undefined) ownerOf(req, identity)
    next()
  }
}
