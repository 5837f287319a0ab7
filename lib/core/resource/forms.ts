import { MisuseError } from '../base/errors.js'
import { BOOLEAN, isText, isTexts, OBJECT, type Form } from '../base/forms.js'
import { propertyOf } from '../base/guards.js'
import { show } from '../base/options.js'

const TEXT: Form = { is: isText, words: 'a string' }
const LIST: Form = { is: Array.isArray, words: 'a list' }
const TEXTS: Form = { is: isTexts, words: 'a list of strings' }

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
  requestHeaders: OBJECT,
  responseHeaders: OBJECT,
  statuses: LIST,
}

/** The option `actions` of a resource. */
export const ACTION_LIST: Form = { is: (value) => value === false || isTexts(value), words: 'a list of names or false' }

/** @throws MisuseError `options_shape` for a trait whose value has another form; `undefined` leaves a trait out. */
export function checkForms(where: string, traits: object): void {
  for (const [name, form] of Object.entries(FORMS)) {
    const value = propertyOf(traits, name)
    if (value !== undefined) checkForm(where, name, value, form)
  }
}

/** @throws MisuseError `options_shape` for a value of another form. */
export function checkForm(where: string, name: string, value: unknown, { is, words }: Form): void {
  if (is(value)) return
  throw new MisuseError('options_shape', `${where}: \`${name}\` must be ${words}, not ${show(value)}.`)
}
