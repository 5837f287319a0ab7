import type { Request } from 'express'
import { attempt } from '../promises.js'
import { formOf, isMessageKey } from './messages.js'
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
    languageOf: (req) => (req && attempt(() => req.acceptsLanguages(offered))) || first,
    choose(message, language) {
      const texts: Dictionary = dictionaries[language] ?? {}
      // A message of the application is not replaced by a general one of this package.
      const reason = message.reason !== undefined && isMessageKey(message.reason) ? undefined : message.reason
      return textIn(texts, message, reason, rules.get(language))
    },
  }
}

function textIn(
  texts: Readonly<Record<string, DictionaryText>>,
  { key, message, values }: ClientMessage,
  reason: string | undefined,
  rules?: Intl.PluralRules,
): string | undefined {
  const name = namesOf(key, reason, message).find((one) => one !== undefined && Object.hasOwn(texts, one))
  const text = name === undefined ? undefined : texts[name]
  if (typeof text === 'function') return text(values)
  return text === undefined ? undefined : formOf(text, values, rules)
}

function namesOf(key: string | undefined, reason: string | undefined, message: string): (string | undefined)[] {
  if (key === undefined) return [message, reason]
  return reason !== undefined && !key.startsWith(reason) ? [reason, key] : [key, reason]
}
