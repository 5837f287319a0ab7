import { parse as parseQuery } from 'node:querystring'
import type { Request } from 'express'
import { isJson } from './content.js'
import { notJson, tooManyFields } from './errors.js'

/** Parses the text of a body that is JSON or urlencoded. @throws the errors of both formats */
export function parseText(req: Request, text: string): object {
  return isJson(req) ? parseJson(text) : parseUrlencoded(text)
}

/**
 * Parses an object or a list of JSON; an empty string is an empty object, as in Express.
 *
 * @throws HttpError 400 `unreadable` for anything else.
 */
function parseJson(text: string): object {
  if (text === '') return {}
  const value = parseJsonBody(text)
  if (typeof value !== 'object' || value === null) throw notJson()
  return value
}

function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error)
  }
}

const MAX_FIELDS = 1000

/**
 * Parses a urlencoded form into an object of strings, and of lists for repeated names.
 *
 * @throws HttpError 413 `too_large` for more than 1000 fields.
 */
function parseUrlencoded(text: string): object {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw tooManyFields()
  const fields = parseQuery(text, '&', '=', { maxKeys: 0 })
  // The parser's object has no prototype; handlers expect the prototype that Express's parser gives it.
  delete fields.__proto__
  return { ...fields }
}
