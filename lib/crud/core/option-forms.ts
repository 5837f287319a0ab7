import { BOOLEAN, isObject, isSchema, isText, isTexts, MisuseError, OBJECT, propertyOf, show,
  type Form } from '../../core/index.js'
import type { AnyOptions } from './any-resource.js'

const isFunction = (value: unknown): boolean => typeof value === 'function'

const SCHEMA: Form = { is: isSchema, words: 'a schema of zod' }
const RECORD: Form = {
  is: (value) => isSchema(value) && 'shape' in value,
  words: 'an object schema of zod, such as `z.object({ … })`',
}
const TEXTS: Form = { is: isTexts, words: 'a list of fields' }
export const FUNCTION: Form = { is: isFunction, words: 'a function' }
const HOOKS = objectOf(isFunction, 'an object of functions by action')

/** The form of an option whose value is checked where it is read. */
const ANY: Form = { is: () => true, words: 'anything' }

/** The options of the core with the forms of their values. */
const FORMS: Readonly<Record<string, Form>> = {
  input: RECORD,
  changes: RECORD,
  output: RECORD,
  transform: FUNCTION,
  transformMany: FUNCTION,
  id: SCHEMA,
  sort: TEXTS,
  order: TEXTS,
  search: TEXTS,
  filters: OBJECT,
  customFilters: { is: isObjects, words: 'an object of filters' },
  limit: ANY,
  maxLimit: ANY,
  total: BOOLEAN,
  listMeta: ANY,
  cursor: BOOLEAN,
  cursorSecret: ANY,
  headers: BOOLEAN,
  paramNames: objectOf(isText, 'an object of names by parameter'),
  unknownParams: ANY,
  unknownFields: ANY,
  fields: OBJECT,
  scope: { is: (value) => isFunction(value) || isObject(value), words: 'a function, or `{ list }` with one' },
  check: FUNCTION,
  before: HOOKS,
  after: HOOKS,
  afterCommit: HOOKS,
  conflicts: { is: isObjects, words: 'an object of conflicts' },
  custom: { is: isObjects, words: 'an object of actions' },
  perAction: OBJECT,
  deadline: ANY,
}

/** Returns true for an object whose members are objects, none of them undefined. */
function isObjects(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isObject)
}

/** Returns the form of an object with members of one kind; one that is undefined is left out. */
function objectOf(is: (member: unknown) => boolean, words: string): Form {
  const isMember = (member: unknown): boolean => member === undefined || is(member)
  return { is: (value) => isObject(value) && Object.values(value).every(isMember), words }
}

export const CORE_OPTIONS: readonly string[] = Object.keys(FORMS)

/** @throws MisuseError `options_shape` for an option of the core whose value has another form. */
export function checkForms(options: object): void {
  for (const [name, form] of Object.entries(FORMS)) {
    const value = propertyOf(options, name)
    checkForm(name, REQUIRED.has(name) ? value ?? null : value, form)
  }
}

const REQUIRED = new Set(['input', 'output'])

/** The forms of the kinds of a filter. */
const KINDS: Readonly<Record<string, Form>> = {
  eq: SCHEMA,
  oneOf: SCHEMA,
  contains: BOOLEAN,
  range: SCHEMA,
  ne: SCHEMA,
  isNull: BOOLEAN,
}

export const FILTER_KINDS: readonly string[] = Object.keys(KINDS)

const KINDS_OF_FILTER: Form = { is: (value) => !isSchema(value), words: 'an object such as `{ eq: z.string() }`' }
const CUSTOM_FILTER: Form = {
  is: (value) => isSchema(propertyOf(value, 'value')) && isFunction(propertyOf(value, 'where')),
  words: 'what `filter(schema, conditions)` returns',
}

/** @throws MisuseError `options_shape` for a filter that has another form, such as that of a schema. */
export function checkFilterObjects(
  { filters = {}, customFilters = {} }: Pick<AnyOptions, 'filters' | 'customFilters'>,
): void {
  for (const [field, filter] of Object.entries(filters)) checkForm(`filters.${field}`, filter, KINDS_OF_FILTER)
  for (const [name, filter] of Object.entries(customFilters)) checkForm(`customFilters.${name}`, filter, CUSTOM_FILTER)
}

/** @throws MisuseError `options_shape` for a kind of a filter whose value has another form. */
export function checkFilterForms(filters: Readonly<Record<string, object | undefined>> = {}): void {
  for (const [field, filter] of Object.entries(filters)) {
    for (const [kind, value] of Object.entries(filter ?? {})) {
      checkForm(`filters.${field}.${kind}`, value, KINDS[kind] ?? OBJECT)
    }
  }
}

const RULE: Form = { is: (value) => isText(value) || isFunction(value), words: 'a permission or a function' }

/** @throws MisuseError `options_shape` for a rule of a field that is neither a permission nor a function. */
export function checkFieldRules(fields: Readonly<Record<string, object | undefined>> = {}): void {
  for (const [field, rules] of Object.entries(fields)) {
    for (const [kind, rule] of Object.entries(rules ?? {})) checkForm(`fields.${field}.${kind}`, rule, RULE)
  }
}

/** @throws MisuseError `options_shape` for a value of another form; `undefined` leaves an option out. */
export function checkForm(name: string, value: unknown, { is, words }: Form): void {
  if (value === undefined || is(value)) return
  throw new MisuseError('options_shape', `\`${name}\` of crud must be ${words}, not ${show(value)}.`)
}
