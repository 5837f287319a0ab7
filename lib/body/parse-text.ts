import { parse } from 'node:querystring'
import { notJson, tooManyFields } from './parser-error.js'

/**
 * Parses an object or a list of JSON; an empty string is an empty object, as in Express.
 *
 * @throws HttpError 400 `unreadable` for anything else.
 */
export function parseJson(text: string): object {
  if (text === '') return {}
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) throw notJson()
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error)
  }
}

const MOST_FIELDS = 1000

/**
 * Parses a urlencoded form into an object of strings, and of lists where a name comes more than once.
 *
 * @throws HttpError 413 `too_large` for more than 1000 fields.
 */
export function parseUrlencoded(text: string): object {
  if (text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS) throw tooManyFields()
  const fields = parse(text, '&', '=', { maxKeys: 0 })
  // The parser's object has no prototype; handlers expect the one that Express's parser gives them.
  delete fields.__proto__
  return { ...fields }
}
