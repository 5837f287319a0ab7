import type { Request } from 'express'
import { emptyMap } from '../guards.js'
import { attempt } from '../promises.js'
import { chooserOf, languagesOf } from './choose.js'
import { messagesOf, textOf, type Fields } from './field-messages.js'
import { fill, Message, textFor } from './messages.js'
import { checkMessages, type ClientMessage, type Dictionaries, type MessageFunction,
  type MessageTexts } from './texts.js'

/** The part of a reply that is translated. */
interface Reply {
  readonly status: number
  readonly reason: string | undefined
  readonly message: string | Message
  readonly fields: Fields | null
}

/** A reply as it is sent. */
interface Translation {
  readonly message: string
  readonly fields: Fields | null
  /** The language that was chosen for the client, `undefined` where the application has one language only. */
  readonly language: string | undefined
}

/** Returns the message of a reply and those of its fields as they are sent. */
export type Translator = (reply: Reply, req: Request | undefined, error: unknown) => Translation

type Messages = Readonly<Record<string, readonly (string | Message)[]>>
type Choose = (message: ClientMessage) => ReturnType<MessageFunction>

/** Makes a translator of the option `messages`. @throws MisuseError `option_messages`, see `checkMessages`. */
export function translatorOf(messages: MessageTexts | Dictionaries | MessageFunction): Translator {
  if (typeof messages === 'function') return translatorBy(messages)
  if (!checkMessages(messages)) return translatorBy(chooserOf(messages))
  const { languageOf, choose } = languagesOf(messages)
  return (reply, req) => {
    const language = languageOf(req)
    return { ...translateText(reply, (message) => choose(message, language)), language }
  }
}

function translatorBy(choose: MessageFunction): Translator {
  return (reply, req, error) => ({
    ...translateText(reply, (message) => choose(message, req as never, error)),
    language: undefined,
  })
}

function translateText({ status, reason, message, fields }: Reply, choose: Choose): Omit<Translation, 'language'> {
  const before = fields === null ? {} : messagesOf(fields)
  const after = fields
    && mapMessages(before,
      (fieldMessage, field) =>
        replace(fieldMessage, { status, reason: undefined, field }, choose) ?? textOf(fieldMessage))
  // A reply that repeats the message of its first field repeats that of the translation.
  const repeated = after !== null && firstOf(before) === message ? firstOf(after) : undefined
  const replaceable = repeated === undefined ? message : textOf(message)
  const whole = replace(replaceable, { status, reason, field: undefined }, choose)
  return { message: whole ?? repeated ?? textOf(message), fields: after }
}

type About = Pick<ClientMessage, 'status' | 'reason' | 'field'>

const NOT_OURS = { key: undefined, values: {}, inner: undefined }

/** Returns the chosen text of a message, `undefined` where it is kept. */
function replace(original: string | Message, about: About, choose: Choose): string | undefined {
  const { key, values: own, inner } = original instanceof Message ? original : NOT_OURS
  const message = inner && replace(inner, about, choose)
  const values = message === undefined ? own : { ...own, message }
  const chosen = attempt(() => choose({ key, message: textOf(original), values, ...about }))
  const text = typeof chosen === 'object' ? chosen?.message : chosen
  if (typeof text === 'string') return fill(text, values)
  return key === undefined || message === undefined ? undefined : textFor(key, values)
}

function mapMessages(fields: Messages, map: (message: string | Message, field: string) => string): Fields {
  const mapped = emptyMap<string[]>()
  for (const [field, messages] of Object.entries(fields)) mapped[field] = messages.map((message) => map(message, field))
  return mapped
}

function firstOf<T>(fields: Readonly<Record<string, readonly T[]>>): T | undefined {
  return Object.values(fields).flat(1)[0]
}
