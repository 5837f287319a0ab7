import type { Request } from 'express'
import { isObject } from '../guards.js'
import { MisuseError } from '../misuse.js'
import { isMessageKey, placeholdersIn, placeholdersOf, type MessageKey, type MessageValues,
  type Plurals } from './messages.js'

/** A message that is about to be sent: that of a whole reply, or one of a field. */
export interface ClientMessage {
  /** Its key, `undefined` for a text of the application. */
  readonly key: MessageKey | undefined
  /** The text that is sent unless it is replaced. */
  readonly message: string
  readonly values: MessageValues
  readonly status: number
  /** The reason of the reply, `undefined` for the message of a field and for a success. */
  readonly reason: string | undefined
  /** The field that the message is about, `undefined` for the message of the whole reply. */
  readonly field: string | undefined
}

/**
 * Chooses the text of a message for a request; it may have placeholders. `undefined` keeps the message. `error` is the
 * error as it was thrown, `undefined` for a success.
 *
 * For bytes that are no HTTP there is no `req`: a function that needs one throws, and the message is kept.
 */
export type MessageFunction = (
  message: ClientMessage,
  req: Request,
  error: unknown,
) => string | { readonly message: string } | null | undefined

/** A text with placeholders such as `{max}`, or a function of their values. */
export type MessageText = string | ((values: MessageValues) => string)

/** Other texts by key, by reason, or by the text of the application that they replace. */
export type MessageTexts = Readonly<Partial<Record<MessageKey, MessageText>> & Record<string, MessageText>>

/** A text of a dictionary, of which there may be one for each plural form of its language. */
export type DictionaryText = MessageText | Plurals

/**
 * The texts of a language, by key, by a reason of the application, or by a text of the application.
 *
 * @example
 * import { de } from 'resourcery/messages/de'
 *
 * const german: Dictionary = { ...de, 'Sold out': 'Ausverkauft' }
 */
export type Dictionary = Readonly<Partial<Record<MessageKey, DictionaryText>> & Record<string, DictionaryText>>

/** A text for each message of this package. */
export type CompleteDictionary = Readonly<Record<MessageKey, DictionaryText>>

/** Dictionaries by their language tags. */
export type Dictionaries = Readonly<Record<string, Dictionary>>

/**
 * Returns true for dictionaries by language, false for texts.
 *
 * @throws MisuseError `option_messages` for anything but texts or dictionaries, for a name that is no language tag, for
 * an unknown key of this package, and for a placeholder that the message does not have.
 */
export function checkMessages(messages: unknown): messages is Dictionaries {
  if (!isObject(messages)) {
    throw misuse('`messages` of errorHandler must be an object of texts, an object of dictionaries, or a function.')
  }
  const entries = Object.entries(messages)
  const isByLanguage = entries.length > 0 && entries.every((entry): entry is [string, object] => isObject(entry[1]))
  if (!isByLanguage) checkTexts(messages, (text) => !isObject(text))
  else for (const [language, texts] of entries) checkDictionary(language, texts)
  return isByLanguage
}

function checkDictionary(language: string, texts: object): void {
  if (!isLanguage(language)) throw misuse(`\`messages\` of errorHandler: \`${language}\` is no language tag like "de".`)
  checkTexts(texts, (text) => text === undefined || isText(text) || isPlural(text))
}

/** True for a tag of BCP 47 that `Intl` knows the form of. */
function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function checkTexts(texts: object, isAllowed: (text: unknown) => boolean): void {
  for (const [key, text] of Object.entries(texts)) {
    if (!isAllowed(text)) throw misuse(`\`messages\` of errorHandler: the text for \`${key}\` must be a string.`)
    for (const form of isObject(text) ? Object.values(text) : [text]) checkText(key, form)
  }
}

function isText(text: unknown): boolean {
  return typeof text === 'string' || typeof text === 'function'
}

function isPlural(text: unknown): boolean {
  return isObject(text) && Object.hasOwn(text, 'other') && Object.values(text).every((form) => typeof form === 'string')
}

/** A reason or a text may be the application's own; keys of fields and of successes are ours alone. */
function checkText(key: string, text: unknown): void {
  if (!isMessageKey(key)) {
    if (!/^(?:field|success)\.[a-z_.]+$/.test(key)) return
    throw misuse(`\`messages\` of errorHandler: there is no message \`${key}\`. The keys are in docs/codes.md.`)
  }
  const placeholders = placeholdersOf(key)
  const unknown = typeof text === 'string'
    ? placeholdersIn(text).find((name) => !placeholders.includes(name))
    : undefined
  if (unknown === undefined) return
  const list = placeholders.length === 0
    ? 'It has none.'
    : `It has ${placeholders.map((name) => `{${name}}`).join(', ')}.`
  throw misuse(`\`messages\` of errorHandler: the message \`${key}\` has no placeholder {${unknown}}. ${list}`)
}

function misuse(sentence: string): MisuseError {
  return new MisuseError('option_messages', sentence)
}
