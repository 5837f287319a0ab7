import type { Request, Response } from 'express'
import type { z } from 'zod'
import { HttpError } from '../base/errors.js'
import { toJson } from '../base/json.js'
import { Reply, SerializedReply, unfold, type Content } from '../reply/reply.js'
import { ignoreFailure, isThenable } from '../base/promises.js'
import { sendContent, sendSerialized, textToStore, toEnvelope } from '../reply/send.js'
import { isTranslating, translateSuccess } from '../reply/handler-settings.js'
import type { MountedRoute } from '../routing/registry.js'
import { stateOf } from '../routing/request-state.js'
import { parse, parserOf, Refused, summaryOf, zodErrorOf, type Fail, type Faults } from '../validate/parse.js'
import { mayHaveNoJson } from '../validate/user-functions.js'

type ReplyPlan = Pick<MountedRoute, 'name' | 'message' | 'status' | 'output'>

export type Responder = (res: Response, value: unknown) => void | PromiseLike<void>

/**
 * Returns a function that sends what a handler returned; `undefined` and the response itself mean that the handler
 * replies itself.
 */
export function responder(plan: ReplyPlan): Responder {
  const { name, output } = plan
  const sendChecked = output && outputSender(output, (faults) => outputError(name, faults))
  return (res, value) => {
    if (value === undefined || value === res || res.headersSent) return undefined
    if (value instanceof SerializedReply) {
      // `instanceof` narrows to `SerializedReply<any>`.
      const serialized: SerializedReply = value
      const { status: code, message, data, meta, text } = serialized
      sendSerialized(res, { code, message, data, meta }, text)
      return undefined
    }
    const content = contentOf(value, plan)
    if (sendChecked !== undefined) return sendChecked(res, content)
    sendContent(res, content, content.data)
  }
}

/** Returns a function that sends data which must fit an output. */
function outputSender(output: z.ZodType, fail: Fail): (res: Response, content: Content) => void | PromiseLike<void> {
  const parser = parserOf(output)
  return (res, content) => {
    const { data } = content
    const copy = takeChecked(res.req, output, data) ?? stateOf(res.req).implementation.copyIfValid?.(output, data)
    const shown = copy === undefined ? parser(data, fail) : copy
    if (shown instanceof Refused) {
      ignoreFailure(data) // of a list of promises, which no output accepts
      throw shown.error
    }
    if (isThenable(shown)) return shown.then((settled) => sendContent(res, content, settled))
    sendContent(res, content, shown)
  }
}

/** Serialises the reply for a handler's value, so that it can be stored before it is sent. */
export async function serializeReply(res: Response, plan: ReplyPlan, value: unknown): Promise<SerializedReply> {
  if (value instanceof SerializedReply) return value
  const content = contentOf(value, plan)
  const { data, meta, status } = content
  const { name, output } = plan
  const sent = output === undefined
    ? data
    : takeChecked(res.req, output, data)
      ?? await fittingCopy(res.req, output, data, (faults) => outputError(name, faults))
  const message = isTranslating ? translateSuccess(res, content.message, status) : content.message
  const text = textToStore(res, toEnvelope(message, sent, meta, status))
  return new SerializedReply({ ...content, message, data: sent }, text)
}

/** Returns a copy of a value that fits its output; zod reports a value that does not fit. */
function fittingCopy(req: Request, output: z.ZodType, value: unknown, fail: Fail): unknown {
  const copy = stateOf(req).implementation.copyIfValid?.(output, value)
  return copy === undefined ? parse(output, value, fail) : copy
}

function contentOf(value: unknown, { message, status }: ReplyPlan): Content {
  if (value instanceof Reply) {
    const { data, meta } = unfold(value.data)
    return { message: value.message, status: value.status ?? status, data, meta: { ...meta, ...value.meta } }
  }
  const { data, meta } = unfold(value)
  return { message, status, data, meta }
}

/**
 * Returns the error of a reply that does not fit its output: the log names route and field, the client gets a plain
 * 500.
 */
export function outputError(name: string, faults: Faults): Error {
  return new HttpError(
    500,
    `The value that ${name} returned does not fit its output (${summaryOf(faults)})`,
    { cause: zodErrorOf(faults) },
  )
}

/**
 * Checks data before it is returned and keeps the result for its reply, so that a transaction does not commit what
 * cannot be sent.
 */
export async function checkEarly(req: Request, schema: z.ZodType, data: object, fail: Fail): Promise<unknown> {
  const result = await fittingCopy(req, schema, data, fail)
  if (mayHaveNoJson(schema)) toJson(result)
  stateOf(req).checked = { schema, data, result }
  return result
}

/** Returns the result of an early check, once: the same object may hold other data later. */
function takeChecked(req: Request, schema: z.ZodType, data: unknown): unknown {
  const state = stateOf(req)
  const { checked } = state
  if (checked?.data !== data || checked?.schema !== schema) return undefined
  state.checked = undefined
  return checked.result
}
