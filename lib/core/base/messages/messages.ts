import { FIELDS } from './field-texts.js'
import { REPLIES } from './reply-texts.js'

/*
 * Every text of this package that a client can receive, by its key; docs/codes.md describes when each is sent.
 * `errorHandler({ messages })` replaces and translates them.
 */

const MESSAGES = { ...REPLIES, ...FIELDS } as const
type Messages = typeof MESSAGES

/**
 * The key of a message of this package: the reason of the reply, alone or with a detail; for the message of a field
 * `field.…`.
 */
export type MessageKey = keyof Messages

/** The values of the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number | bigint>>

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest>
  : never
type TextOf<Key extends MessageKey> = Messages[Key] extends readonly [string, infer Text extends string] ? Text
  : Messages[Key] & string
type ValuesOf<Key extends MessageKey> = Readonly<Record<Placeholder<TextOf<Key>>, string | number | bigint>>
type Values<Key extends MessageKey> = [keyof ValuesOf<Key>] extends [never] ? [] : [values: ValuesOf<Key>]

/**
 * A message of this package for one reply or field: its key and values besides its text, so that it can be replaced.
 */
export class Message {
  readonly key: MessageKey
  readonly values: MessageValues
  readonly text: string
  /** The message that is the value of the placeholder `message`. */
  readonly inner: Message | undefined

  constructor(
    key: MessageKey,
    values: MessageValues = NO_VALUES,
    text = textFor(key, values),
    inner?: Message,
  ) {
    this.key = key
    this.values = values
    this.text = text
    this.inner = inner
  }

  /** The reason of a reply with this message. */
  get reason(): string {
    return this.key.split('.', 1)[0] ?? this.key
  }
}

const NO_VALUES: MessageValues = Object.freeze({})

/**
 * Returns the message of a key, with a value for each of its placeholders.
 *
 * @example
 * throw new ValidationError({ ids: [messageOf('field.ids_too_many', { max: 100 })] })
 */
export function messageOf<Key extends MessageKey>(key: Key, ...[values]: Values<Key>): Message {
  return values === undefined ? (constants[key] ??= new Message(key)) : new Message(key, values)
}

/** Returns a message with another one as its value `message`; that one is replaced and translated by itself. */
export function messageAround(key: MessageKey, values: MessageValues, message: string | Message): Message {
  const [text, inner] = message instanceof Message ? [message.text, message] : [message]
  return new Message(key, { ...values, message: text }, undefined, inner)
}

/** Returns the text of a key with these values. */
export function textFor(key: MessageKey, values: MessageValues): string {
  return fill(formOf(MESSAGES[key], values), values)
}

/** The messages without placeholders, each made once. */
const constants: Partial<Record<MessageKey, Message>> = {}

/** Tells whether a name is a key of a message. */
export function isMessageKey(name: string): name is MessageKey {
  return Object.hasOwn(MESSAGES, name)
}

/** Returns the names of the placeholders of a message. */
export function placeholdersOf(key: MessageKey): string[] {
  return placeholdersIn([MESSAGES[key]].flat().join(' '))
}

/** Returns the names of the placeholders in a text. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => String(name))
}

const PLACEHOLDER = /\{(\w+)\}/g

/** Replaces each placeholder by its value; one without a value is kept. */
export function fill(text: string, values: MessageValues): string {
  if (values === NO_VALUES) return text
  return text.replace(PLACEHOLDER,
    (placeholder, name: string) => Object.hasOwn(values, name) ? String(values[name]) : placeholder)
}

/** Of two forms the first is for a value of 1. */
function formOf(text: string | readonly [one: string, other: string], values: MessageValues): string {
  if (typeof text === 'string') return text
  const [value] = Object.values(values)
  return text[Number(value) === 1 ? 0 : 1]
}
