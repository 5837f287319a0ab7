import { recognise } from '../brand.js'
import { FIELDS } from './field-texts.js'
import { REPLIES, SUCCESSES } from './reply-texts.js'

/*
 * Every text of this package that a client can receive, by its key; docs/codes.md describes when each is sent.
 * `errorHandler({ messages })` replaces and translates them.
 */

const MESSAGES = { ...REPLIES, ...FIELDS, ...SUCCESSES } as const
type Messages = typeof MESSAGES

const NO_VALUES: MessageValues = Object.freeze({})
const PLACEHOLDER = /\{(\w+)\}/g
const ENGLISH = new Intl.PluralRules('en')

/**
 * The key of a message of this package: the reason of the reply, alone or with a detail; for the message of a field
 * `field.…`, for that of a success `success.…`.
 */
export type MessageKey = keyof Messages

/** The values of the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number | bigint>>

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest>
  : never
type TextOf<Key extends MessageKey> = Messages[Key] extends { readonly other: infer Text extends string } ? Text
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

recognise(Message, 'Message')

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

export function textFor(key: MessageKey, values: MessageValues): string {
  return fill(formOf(MESSAGES[key], values, ENGLISH), values)
}

/** The messages without placeholders, each made once. */
const constants: Partial<Record<MessageKey, Message>> = {}

const successByText = new Map<string, Message>(
  Object.entries(SUCCESSES).map(([key, text]) => [text, new Message(key as keyof typeof SUCCESSES)]),
)

/** Returns the message of a success with its key where the text is one of this package. */
export function successOf(text: string): string | Message {
  return successByText.get(text) ?? text
}

export function isMessageKey(name: string): name is MessageKey {
  return Object.hasOwn(MESSAGES, name)
}

export function placeholdersOf(key: MessageKey): string[] {
  const text = MESSAGES[key]
  return placeholdersIn(typeof text === 'string' ? text : text.other)
}

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => String(name))
}

/** Replaces each placeholder by its value; one without a value is kept. */
export function fill(text: string, values: MessageValues): string {
  if (values === NO_VALUES) return text
  return text.replace(PLACEHOLDER,
    (placeholder, name: string) => Object.hasOwn(values, name) ? String(values[name]) : placeholder)
}

/** The plural forms of a text, by the categories of `Intl.PluralRules`. */
export type Plurals = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Returns the form of a text for the first of its values. */
export function formOf(text: string | Plurals, values: MessageValues, rules = ENGLISH): string {
  if (typeof text === 'string') return text
  const [value] = Object.values(values)
  return text[rules.select(Number(value))] ?? text.other
}
