import { BOOLEAN, isObject, isSchema, isText, isTexts, MisuseError, OBJECT, show, type Form } from '../../core/index.js'

const isFunction = (value: unknown): boolean => typeof value === 'function'

const SCHEMA: Form = { is: isSchema, words: 'a schema of zod' }
const RECORD: Form = {
  is: (value) => isSchema(value) && 'shape' in value,
  words: 'an object schema of zod, such as `z.object({ … })`',
}
const TEXTS: Form = { is: isTexts, words: 'a list of fields' }
export const FUNCTION: Form = { is: isFunction, words: 'a function' }
const HOOKS: Form = {
  is: (value) => isObject(value) && Object.values(value).every((hook) => hook === undefined || isFunction(hook)),
  words: 'an object of functions by action',
}

/** The forms of the options of the core whose values nothing else checks. */
const FORMS: Readonly<Record<string, Form>> = {
  id: SCHEMA,
  input: RECORD,
  changes: RECORD,
  output: RECORD,
  sort: TEXTS,
  order: TEXTS,
  search: TEXTS,
  filters: OBJECT,
  customFilters: OBJECT,
  total: BOOLEAN,
  cursor: BOOLEAN,
  headers: BOOLEAN,
  paramNames: {
    is: (value) => isObject(value) && Object.values(value).every((name) => name === undefined || isText(name)),
    words: 'an object of names by parameter',
  },
  transform: FUNCTION,
  transformMany: FUNCTION,
  scope: { is: (value) => isFunction(value) || isObject(value), words: 'a function, or `{ list }` with one' },
  fields: OBJECT,
  conflicts: OBJECT,
  check: FUNCTION,
  before: HOOKS,
  after: HOOKS,
  afterCommit: HOOKS,
  custom: OBJECT,
  perAction: OBJECT,
}

/** @throws MisuseError `options_shape` for an option of the core whose value has another form. */
export function checkForms(options: object): void {
  const values = options as Readonly<Record<string, unknown>>
  for (const [name, form] of Object.entries(FORMS))
    checkForm(name, REQUIRED.has(name) ? values[name] ?? null : values[name], form)
}

const REQUIRED = new Set(['input', 'output'])

/** The forms of the kinds of a filter. */
const KINDS: Readonly<Record<string, Form>> = {
  eq: SCHEMA,
  oneOf: SCHEMA,
  ne: SCHEMA,
  range: SCHEMA,
  contains: BOOLEAN,
  isNull: BOOLEAN,
}

/** @throws MisuseError `options_shape` for a kind of a filter whose value has another form. */
export function checkFilterForms(filters: Readonly<Record<string, object | undefined>> = {}): void {
  for (const [field, filter] of Object.entries(filters)) {
    for (const [kind, value] of Object.entries(filter ?? {})) {
      checkForm(`filters.${field}.${kind}`, value, KINDS[kind] ?? OBJECT)
    }
  }
}

/** @throws MisuseError `options_shape` for a value of another form; `undefined` leaves an option out. */
export function checkForm(name: string, value: unknown, { is, words }: Form): void {
  if (value === undefined || is(value)) return
  throw new MisuseError('options_shape', `\`${name}\` of crud must be ${words}, not ${show(value)}.`)
}
