import type { Request } from 'express'
import type { z } from 'zod'
import { MisuseError } from '../errors.js'
import { fill, isMessageKey, Message, placeholdersIn, placeholdersOf, textFor, type MessageKey,
  type MessageValues } from './messages.js'
import { attempt } from '../promises.js'
import { messagesOf, textOf, type Fields } from './field-messages.js'

/** A message that is about to be sent: that of a whole reply, or one of a field. */
export interface ClientMessage {
  /** Its key, `undefined` for a text of the application. */
  readonly key: MessageKey | undefined
  /** The text that is sent unless it is replaced. */
  readonly message: string
  /** The values of its placeholders. */
  readonly values: MessageValues
  readonly status: number
  /** The reason of the reply, `undefined` for the message of a field. */
  readonly reason: string | undefined
  /** The field that the message is about, `undefined` for the message of the whole reply. */
  readonly field: string | undefined
  /** The issue of zod that the message is about, for zod's locales: `z.locales.de().localeError(issue)`. */
  readonly issue: z.core.$ZodRawIssue | undefined
}

/** A text with placeholders such as `{max}`, or a function of their values, for languages with several plurals. */
export type MessageText = string | ((values: MessageValues) => string)

/** Other texts by key or by reason. */
export type MessageTexts = Readonly<Partial<Record<MessageKey, MessageText>> & Record<string, MessageText>>

/**
 * Chooses the text of a message for a request; it may have placeholders. `undefined` keeps the message. `error` is the
 * error as it was thrown.
 *
 * For bytes that are no HTTP there is no `req`: a function that needs one throws, and the message is kept.
 */
export type MessageFunction = (
  message: ClientMessage,
  req: Request,
  error: unknown,
) => string | { readonly message: string } | null | undefined

/** The part of an error reply that is translated. */
interface Reply {
  readonly status: number
  readonly reason: string
  readonly message: string | Message
  readonly fields: Fields | null
}

/** Returns the message of a reply and those of its fields as they are sent. */
export type Translator = (
  reply: Reply,
  req: Request | undefined,
  error: unknown,
) => { readonly message: string; readonly fields: Fields | null }

type Messages = Readonly<Record<string, readonly (string | Message)[]>>

/**
 * Makes a translator of the option `messages`.
 *
 * @throws MisuseError `option_messages` for anything but an object or a function, for an unknown key of a field's
 * message, and for a placeholder that the message does not have.
 */
export function translatorOf(messages: MessageTexts | MessageFunction): Translator {
  const choose = typeof messages === 'function' ? messages : chooserOf(checkedTexts(messages))
  const replaced = (
    given: string | Message,
    about: About,
    req: Request | undefined,
    error: unknown,
  ): string | undefined => {
    const { key, values: own, issue, inner } = given instanceof Message ? given : NOT_OURS
    const message = inner && replaced(inner, about, req, error)
    const values = message === undefined ? own : { ...own, message }
    const chosen = attempt(() =>
      choose(
        { key, message: textOf(given), values, ...about, issue: issue as RawIssue | undefined },
        req as never,
        error,
      )
    )
    const text = typeof chosen === 'object' ? chosen?.message : chosen
    if (typeof text === 'string') return fill(text, values)
    return key === undefined || message === undefined ? undefined : textFor(key, values)
  }
  return ({ status, reason, message, fields }, req, error) => {
    const before = fields === null ? {} : messagesOf(fields)
    const after = fields
      && mapMessages(
        before,
        (given, field) => replaced(given, { status, reason: undefined, field }, req, error) ?? textOf(given),
      )
    // A reply that repeats the message of its first field repeats that of the translation.
    const repeated = after !== null && firstOf(before) === message ? firstOf(after) : undefined
    const whole = replaced(
      repeated === undefined ? message : textOf(message),
      { status, reason, field: undefined },
      req,
      error,
    )
    return { message: whole ?? repeated ?? textOf(message), fields: after }
  }
}

type RawIssue = z.core.$ZodRawIssue
type About = Pick<ClientMessage, 'status' | 'reason' | 'field'>

const NOT_OURS = { key: undefined, values: {}, issue: undefined, inner: undefined }

function mapMessages(fields: Messages, map: (message: string | Message, field: string) => string): Fields {
  const mapped = Object.create(null) as Record<string, string[]>
  for (const [field, messages] of Object.entries(fields)) mapped[field] = messages.map((message) => map(message, field))
  return mapped
}

function firstOf<T>(fields: Readonly<Record<string, readonly T[]>>): T | undefined {
  return Object.values(fields).flat(1)[0]
}

/** Chooses by key or reason, whichever is more specific. */
function chooserOf(texts: MessageTexts): MessageFunction {
  return ({ key, reason, values }) => {
    const names = key !== undefined && reason !== undefined && !key.startsWith(reason) ? [reason, key] : [key, reason]
    const name = names.find((one) => one !== undefined && Object.hasOwn(texts, one))
    const text = name === undefined ? undefined : texts[name]
    return typeof text === 'function' ? text(values) : text
  }
}

function checkedTexts(texts: unknown): MessageTexts {
  if (typeof texts !== 'object' || texts === null || Array.isArray(texts)) {
    throw misuse('`messages` of errorHandler must be an object of texts by key or reason, or a function.')
  }
  for (const [key, text] of Object.entries(texts)) checkText(key, text)
  return texts as MessageTexts
}

/** A reason may be the application's own; keys of fields are ours alone. */
function checkText(key: string, text: unknown): void {
  if (!isMessageKey(key)) {
    if (key.startsWith('field.')) {
      throw misuse(`\`messages\` of errorHandler: there is no message \`${key}\`. The keys are in docs/codes.md.`)
    }
    return
  }
  const known = placeholdersOf(key)
  const unknown = typeof text === 'string' ? placeholdersIn(text).find((name) => !known.includes(name)) : undefined
  if (unknown === undefined) return
  const list = known.length === 0 ? 'It has none.' : `It has ${known.map((name) => `{${name}}`).join(', ')}.`
  throw misuse(`\`messages\` of errorHandler: the message \`${key}\` has no placeholder {${unknown}}. ${list}`)
}

function misuse(sentence: string): MisuseError {
  return new MisuseError('option_messages', sentence)
}
