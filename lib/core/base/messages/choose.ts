import type { Request } from 'express'
import { attempt } from '../promises.js'
import { STATUS_CODES } from '../node-http.js'
import { STATUS_PHRASES } from '../phrases.js'
import { formOf, isMessageKey, type MessageKey } from './messages.js'
import type { ClientMessage, Dictionaries, Dictionary, DictionaryText, MessageFunction } from './texts.js'

/** Makes the function that chooses texts by key or reason, whichever is more specific, or by the text itself. */
export function chooserOf(texts: Readonly<Record<string, DictionaryText>>): MessageFunction {
  return (message) => textIn(texts, message, message.reason)
}

/** The dictionaries of an application, one of which is chosen for each reply. */
export interface Languages {
  /** Returns the language that a client accepts, and the default one where there is no request. */
  readonly languageOf: (req: Request | undefined) => string
  readonly choose: (message: ClientMessage, language: string) => string | undefined
}

/** The language of the texts in this package. */
const OWN_LANGUAGE = 'en'

/** Makes the choice among dictionaries; English is the default unless it has a place among them. */
export function languagesOf(dictionaries: Dictionaries): Languages {
  const named = Object.keys(dictionaries)
  const isEnglish = (tag: string): boolean => /^en(?:-|$)/i.test(tag)
  const offered = named.some(isEnglish) ? named : [OWN_LANGUAGE, ...named]
  const [first = OWN_LANGUAGE] = offered
  const rules = new Map(offered.map((language) => [language, new Intl.PluralRules(language)]))
  return {
    languageOf(req) {
      const accepted = req && attempt(() => req.acceptsLanguages(offered))
      return typeof accepted === 'string' ? accepted : first
    },
    choose(message, language) {
      const texts: Dictionary = dictionaries[language] ?? {}
      // A message of the application is not replaced by a general one of this package.
      const reason = message.reason !== undefined && isMessageKey(message.reason) ? undefined : message.reason
      const chosen = textIn(texts, message, reason, rules.get(language))
      return chosen ?? textIn(texts, { ...message, key: keyOfPhrase(message) }, undefined, rules.get(language))
    },
  }
}

/** The messages that translate the phrases of HTTP, which errors of middleware have. */
const PHRASES: Readonly<Record<number, MessageKey>> = {
  401: 'token_missing',
  403: 'forbidden',
  404: 'not_found',
  405: 'method',
  409: 'conflict',
  413: 'too_large.body',
  415: 'media_type',
  422: 'validation',
}

function keyOfPhrase({ key, message, status, field }: ClientMessage): MessageKey | undefined {
  const isPhrase = key === undefined && field === undefined && status >= 400 && status < 500
    && (message === STATUS_PHRASES[status] || message === STATUS_CODES[status])
  return isPhrase ? PHRASES[status] ?? 'failed' : undefined
}

function textIn(
  texts: Readonly<Record<string, DictionaryText>>,
  { key, message, values }: ClientMessage,
  reason: string | undefined,
  rules?: Intl.PluralRules,
): string | undefined {
  const name = namesOf(key, reason, message).find((candidate) =>
    candidate !== undefined && Object.hasOwn(texts, candidate)
  )
  const text = name === undefined ? undefined : texts[name]
  if (typeof text === 'function') return text(values)
  return text === undefined ? undefined : formOf(text, values, rules)
}

function namesOf(key: string | undefined, reason: string | undefined, message: string): (string | undefined)[] {
  // A text of the application may be the same as a key.
  const text = isMessageKey(message) ? undefined : message
  if (key === undefined) return [text, reason]
  return reason !== undefined && !key.startsWith(reason) ? [reason, key] : [key, reason]
}
