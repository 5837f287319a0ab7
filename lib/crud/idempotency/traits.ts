import type { RequestHandler } from 'express'
import type { HeaderFields } from '../../types.js'
import { keyCheck, signedIn } from './key.js'
import type { IdempotencyOptions } from './options.js'

/** What an action with keys does before its body is read, and tells a document. */
export interface KeyTraits {
  readonly use: readonly RequestHandler[]
  readonly requestHeaders: HeaderFields
  readonly responseHeaders: HeaderFields
  readonly statuses: readonly number[]
}

/** What an action may have of these by itself. */
interface OwnTraits {
  readonly use?: RequestHandler | readonly RequestHandler[] | undefined
  readonly requestHeaders?: HeaderFields | undefined
  readonly responseHeaders?: HeaderFields | undefined
  readonly statuses?: readonly number[] | undefined
}

type Options = Pick<IdempotencyOptions<never>, 'required' | 'identity' | 'seconds'>

/** An action with what a key adds to it. */
export function withKeyTraits<Spec extends OwnTraits>(spec: Spec, { required = false, identity = signedIn, seconds = 86_400 }: Options): Spec & KeyTraits {
  const description = `A text of the caller's own, for this request alone, such as a UUID: a repeat within ${seconds} seconds gets the first reply`
  return {
    ...spec,
    use: [keyCheck(required, identity), ...[spec.use ?? []].flat()],
    requestHeaders: { 'Idempotency-Key': { description, required }, ...spec.requestHeaders },
    responseHeaders: { 'Idempotency-Replayed': { description: '`true` where the reply is that of an earlier request with the same Idempotency-Key' }, ...spec.responseHeaders },
    statuses: [400, 409, 422, ...(spec.statuses ?? [])],
  }
}
