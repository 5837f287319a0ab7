import { STATUS_PHRASES } from '../base/phrases.js'
import { checkFunction, checkOptionNames, show } from '../base/options.js'
import { ignoreFailure } from '../base/promises.js'
import type { EnvelopeOptions, FailureParts } from './envelope.js'

export interface ProblemOptions {
  /**
   * Returns the URI of a kind of problem, by its reason.
   *
   * @default `about:blank`: the status is the whole description (RFC 9457 §4.2.1)
   */
  readonly type?: ((reason: string | undefined) => string) | undefined
}

/** An error as `application/problem+json` (RFC 9457 §3.1), with members of this package (§3.2). */
export interface Problem {
  /** The URI of the kind of problem. */
  readonly type: string
  /** The phrase of the status. */
  readonly title: string
  readonly status: number
  /** The message. */
  readonly detail: string
  /** The stable word for programs. */
  readonly reason?: string | undefined
  readonly requestId?: unknown
  /** The messages by field, `_` for the whole. */
  readonly errors?: unknown
}

const TEXT = { type: 'string' }

/**
 * Returns the options of `envelope` for errors as problems of RFC 9457. Successes keep the default envelope.
 *
 * @throws MisuseError `option_unknown` and `option_function`.
 * @example
 * app.use(envelope(problem({ type: (reason) => `https://api.example.com/problems/${reason}` })))
 */
export function problem(options: ProblemOptions = {}): EnvelopeOptions {
  checkOptionNames('problem', options, ['type'])
  const { type = () => 'about:blank' } = options
  checkFunction('`type` of problem', type)
  const failure = ({ code, message, reason, data, meta: { requestId } }: FailureParts): Problem => ({
    type: uriOf(type(reason)),
    title: STATUS_PHRASES[code] ?? 'Error',
    status: code,
    detail: message,
    ...(reason !== undefined && { reason }),
    ...(requestId !== undefined && { requestId }),
    ...(data !== null && { errors: data }),
  })
  return {
    failure,
    types: { failure: 'application/problem+json' },
    schema: {
      failure: ({ code, message, reason, data }) => ({
        type: 'object',
        properties: {
          type: { type: 'string', format: 'uri-reference' },
          title: TEXT,
          status: code,
          detail: message,
          reason,
          requestId: {},
          errors: data,
        },
        required: ['type', 'title', 'status', 'detail'],
      }),
    },
  }
}

/** @throws TypeError for anything but a string, which programs without types may return. */
function uriOf(type: unknown): string {
  if (typeof type === 'string') return type
  ignoreFailure(type)
  throw new TypeError(`\`type\` of problem must return a string, not ${show(type)}.`)
}
