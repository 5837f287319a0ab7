import { emptyMap, isList, isObject, propertyOf } from '../guards.js'
import { MisuseError } from '../misuse.js'
import type { Message } from './messages.js'

/** The messages of each field: `{ "items.0.name": ["Too short"] }`; those of the whole are under `_`. */
export type Fields = Readonly<Record<string, readonly string[]>>

/** The same before they are sent: messages of this package still have their keys. */
export type FieldMessages = Readonly<Record<string, readonly (string | Message)[]>>

/** The messages that the texts of an error come from. */
const messagesByTexts = new WeakMap<object, FieldMessages>()

/** Returns the messages that the texts of an error come from, with their keys; other fields as they are. */
export function messagesOf(fields: Fields | FieldMessages): FieldMessages {
  return messagesByTexts.get(fields) ?? fields
}

/**
 * Returns the texts of the first messages, without a prototype, and the very first message.
 *
 * `fields` may be those of another error: they keep their keys.
 */
export function keepMessages(
  fields: FieldMessages,
  most = 50,
): { readonly texts: Fields; readonly first: string | Message | undefined } {
  // Programs without types may pass anything.
  if (!isObject(fields)) throw fieldsInvalid()
  const messages = messagesOf(fields)
  const texts = emptyMap<readonly string[]>()
  let first: string | Message | undefined
  let left = most
  for (const field of Object.keys(messages)) {
    if (left === 0) break
    const some = messagesIn(messages[field]).slice(0, left)
    first ??= some[0]
    texts[field] = some.map(textOf)
    left -= some.length
  }
  messagesByTexts.set(texts, messages)
  return { texts, first }
}

function messagesIn(given: readonly (string | Message)[] | undefined): readonly (string | Message)[] {
  if (given === undefined) return []
  if (!isList(given) || !given.every(isMessage)) throw fieldsInvalid()
  return given
}

function isMessage(given: unknown): boolean {
  return typeof given === 'string' || typeof propertyOf(given, 'text') === 'string'
}

function fieldsInvalid(): MisuseError {
  return new MisuseError(
    'validation_fields',
    'A ValidationError needs a list of messages for each field: '
      + "new ValidationError({ email: ['This address is taken'] }).",
  )
}

export function textOf(message: string | Message): string {
  return typeof message === 'string' ? message : message.text
}
