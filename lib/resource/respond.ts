import type { Response } from 'express'
import type { z } from 'zod'
import { HttpError } from '../errors.js'
import { isFormatted } from '../format-data.js'
import { isPage, pageMeta } from '../paging/page.js'
import { Reply } from '../reply.js'
import { partsFor } from '../seam.js'
import { send } from '../send.js'
import { envelopeText, toEnvelope } from '../send/envelope-text.js'
import { isThenable } from '../thenable.js'
import type { Meta } from '../types.js'
import { earlyResults } from './early-check.js'
import { summaryOf, zodErrorOf, type Faults } from '../validate/parse.js'
import { parse, parserOf, type Fail } from './parse.js'
import { Rendered } from './rendered.js'

export interface ReplyPlan {
  /** The route's name, for the log. */
  readonly name: string
  readonly message: string
  readonly status: number
  readonly output: z.ZodType | undefined
}

interface Content {
  readonly message: string
  readonly status: number
  readonly data: unknown
  readonly meta: Meta
}

/** Sends what a handler returned; `undefined` (or the response itself) means that the handler replies on its own. */
export function responder(plan: ReplyPlan): (res: Response, value: unknown) => void | PromiseLike<void> {
  const { name, output } = plan
  const fail = (faults: Faults): Error => brokenOutput(name, faults)
  const early = earlyResults(output)
  if (output !== undefined) parserOf(output) // decided when mounting
  return (res, value) => {
    if (value === undefined || value === res || res.headersSent) return undefined
    if (value instanceof Rendered) {
      const { status: code, message, data, meta, text } = value as Rendered
      partsFor(res.req).writeReply(res, { code, message, data, meta }, text)
      return undefined
    }
    const { message, status, data, meta } = contentOf(value, plan)
    const shown = output === undefined ? data : early?.(data) ?? parseOutput(res, output, data, fail)
    if (isThenable(shown)) return shown.then((settled) => send(res, message, settled, meta, status))
    send(res, message, shown, meta, status)
  }
}

/** The reply that a handler's value will be, to the byte: for whoever keeps it before it is sent. */
export async function render(res: Response, plan: ReplyPlan, value: unknown): Promise<Rendered> {
  const { message, data, meta, status } = contentOf(value, plan)
  const { name, output } = plan
  const sent = output === undefined ? data : earlyResults(output)?.(data) ?? await parseOutput(res, output, data, (faults) => brokenOutput(name, faults))
  return new Rendered(message, sent, meta, status, envelopeText(res, toEnvelope(message, sent, meta, status)))
}

/** Converts a value to output; a value that does not fit is judged by zod alone, on both paths. */
function parseOutput(res: Response, schema: z.ZodType, value: unknown, fail: Fail): unknown {
  const copy = partsFor(res.req).fitting(schema, value)
  return copy === undefined ? parse(schema, value, fail) : copy
}

function contentOf(value: unknown, { message, status }: ReplyPlan): Content {
  if (value instanceof Reply) {
    const { data, meta } = dataOf(value.data)
    return { message: value.message, status: value.status ?? status, data, meta: { ...meta, ...value.meta } }
  }
  const { data, meta } = dataOf(value)
  return { message, status, data, meta }
}

function dataOf(value: unknown): Pick<Content, 'data' | 'meta'> {
  if (isFormatted(value)) return value
  return isPage(value) ? { data: value.items, meta: pageMeta(value) } : { data: value, meta: {} }
}

/** Returns the error of a reply that does not fit its output: the log names route and field, the client learns nothing. */
export function brokenOutput(name: string, faults: Faults): Error {
  return new HttpError(500, `What ${name} returned does not fit its output (${summaryOf(faults)})`, { cause: zodErrorOf(faults) })
}
