import { MisuseError } from '../base/errors.js'
import { show } from '../base/options.js'

/** A form that the value of a trait has, and the words for it. */
interface Form {
  readonly is: (value: unknown) => boolean
  readonly words: string
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

const TEXT: Form = { is: isText, words: 'a string' }
const TEXTS: Form = { is: isTexts, words: 'a list of strings' }
const BOOLEAN: Form = { is: (value) => typeof value === 'boolean', words: 'true or false' }
const OBJECT: Form = {
  is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  words: 'an object',
}

const DOC: Form = {
  is: (value) => value === false || isText(value) || isTexts(value),
  words: 'a string, a list of strings or false',
}

/** The forms of the traits of a group or an action whose values nothing else checks. */
const FORMS: Readonly<Record<string, Form>> = {
  summary: TEXT,
  description: TEXT,
  doc: DOC,
  message: TEXT,
  produces: TEXT,
  tags: TEXTS,
  deprecated: BOOLEAN,
  meta: OBJECT,
}

/** @throws MisuseError `options_shape` for a trait whose value has another form; `undefined` leaves a trait out. */
export function checkForms(where: string, traits: object): void {
  for (const [name, { is, words }] of Object.entries(FORMS)) {
    const value = (traits as Readonly<Record<string, unknown>>)[name]
    if (value === undefined || is(value)) continue
    throw new MisuseError('options_shape', `${where}: \`${name}\` must be ${words}, not ${show(value)}.`)
  }
}
