import { isObject } from './values.js'

const FORM = 'multipart/form-data'
const JSON_TYPE = 'application/json'
const TRIES = 40

/** Makes requests of one operation: those that its document allows, and those that it does not. */
export class Requests {
  #operation
  #document
  #values

  constructor(operation, document, values) {
    this.#operation = operation
    this.#document = document
    this.#values = values
  }

  /** Returns a request that the document allows; `missing` names what could not be made. */
  valid() {
    const { parameters, body } = this.#operation
    const values = {}
    const missing = []
    for (const parameter of parameters) {
      if (!parameter.required && this.#values.chance(65)) continue
      const value = this.#value(parameter)
      if (value !== undefined) values[placeOf(parameter)] = value
      else if (parameter.required) missing.push(placeOf(parameter))
    }
    if (body === undefined || (!body.required && this.#values.chance(30))) return { values, missing }
    const [type] = Object.keys(body.content)
    const content = this.#values.of(body.content[type].schema)
    if (content === undefined) missing.push('the body')
    return { values, missing, ...(content !== undefined && { type, content }) }
  }

  /** Returns a request that the document does not allow, `undefined` where none was found. */
  invalid() {
    const { parameters, body } = this.#operation
    const request = this.valid()
    if (request.missing.length > 0) return undefined
    const [type] = Object.keys(body?.content ?? {})
    const ways = parameters.map((parameter) => () => this.#breakParameter(request, parameter))
    for (const parameter of parameters) {
      if (parameter.required && parameter.in !== 'path') ways.push(() => without(request, placeOf(parameter)))
    }
    if (type !== undefined && body.required)
      ways.push(() => ({ ...request, type: undefined, content: undefined, why: 'no body' }))
    if (type === JSON_TYPE) {
      const one = () => this.#breakJson(request, body.content[type].schema)
      ways.push(one, one, one, one, () => ({ ...request, content: '{"a":', type, isRaw: true, why: 'not JSON' }),
        () => ({ ...request, content: 'a=1', type: 'text/plain', isRaw: true, why: 'another media type' }))
    }
    if (type === FORM) ways.push(() => this.#breakForm(request, body.content[type].schema))
    return ways.length === 0 ? undefined : this.#values.pick(ways)()
  }

  /** A query has no null, and a path no empty segment. */
  #value(parameter) {
    for (let turn = 0; turn < TRIES; turn++) {
      const made = this.#values.of(parameter.schema)
      if (made !== undefined && canBeSent(parameter, made)) return made
    }
    return undefined
  }

  #breakParameter(request, parameter) {
    for (let turn = 0; turn < TRIES; turn++) {
      const text = this.#values.anyString()
      if (!canBeSent(parameter, text) || this.#mayMean(text, parameter)) continue
      return { ...request, values: { ...request.values, [placeOf(parameter)]: text },
        why: `${placeOf(parameter)} is ${JSON.stringify(text).slice(0, 60)}` }
    }
    return undefined
  }

  /** Returns true if the string of a parameter stands for a value that its schema accepts. */
  #mayMean(text, { allowEmptyValue, required, explode, schema }) {
    if (text === '' && allowEmptyValue === true) return true
    // Rules read the empty string as no value.
    if (text === '' && !required && this.#operation.path === '/rules') return true
    const parts = explode === false ? text.split(',') : [text]
    const lists = [parts.map((part) => scalarsOf(part)[0]), parts.map((part) => scalarsOf(part).at(-1))]
    return [...scalarsOf(text), ...lists].some((value) => this.#document.holds(schema, value))
  }

  /** Replaces, adds or drops one value anywhere in the body. */
  #breakJson(request, schema) {
    for (let turn = 0; turn < TRIES; turn++) {
      const content = structuredClone(request.content ?? {})
      const place = this.#values.pick(placesIn(content))
      const changed = this.#change(content, place)
      if (this.#document.holds(schema, changed) || this.#isReadAsOther(schema, changed)) continue
      // A route without an `input` reads a list too.
      if (Array.isArray(changed) && Object.keys(schema).join() === 'type') continue
      const value = JSON.stringify(valueAt(changed, place))
      return { ...request, type: JSON_TYPE, content: changed,
        why: `/${place.join('/')} is ${String(value).slice(0, 80)}` }
    }
    return undefined
  }

  #change(content, place) {
    const value = this.#values.anyJson()
    if (place.length === 0) {
      return this.#values.chance(50) || !isObject(content) ? value : { ...content, unknown: value }
    }
    const parent = valueAt(content, place.slice(0, -1))
    const key = place.at(-1)
    if (!Array.isArray(parent) && this.#values.chance(20)) delete parent[key]
    else if (Array.isArray(parent) && this.#values.chance(20))
      parent.push(...Array.from({ length: 1 + this.#values.below(4) }, () => structuredClone(parent[key])))
    else parent[key] = value
    return content
  }

  /**
   * Returns true if strings stand for the values that a schema accepts: the page on documents says that numbers,
   * booleans and dates may be sent as strings.
   */
  #isReadAsOther(schema, content) {
    return placesIn(content).some((place) => {
      const other = otherReading(valueAt(content, place))
      return other !== undefined && this.#document.holds(schema, replaced(content, place, other))
    })
  }

  #breakForm(request, schema) {
    const { required = [] } = this.#document.resolve(schema)
    if (required.length === 0)
      return { ...request, type: JSON_TYPE, content: '{"a":', isRaw: true, why: 'JSON in place of a form' }
    const name = this.#values.pick(required)
    const { [name]: _dropped, ...content } = request.content ?? {}
    return { ...request, type: FORM, content, why: `the form lacks ${name}` }
  }
}

export function placeOf({ in: place, name }) {
  return `${place} ${name}`
}

function without(request, place) {
  const { [place]: _dropped, ...values } = request.values
  return { ...request, values, why: `without ${place}` }
}

function canBeSent({ in: place, explode, schema }, value) {
  if (value === null || isObject(value)) return false
  const isJoined = Array.isArray(value) && explode === false
  if (Array.isArray(value) && (value.length === 0 || value.some((item) => typeof item === 'object'))) return false
  if (isJoined && value.some((item) => /^$|,/.test(item))) return false
  const texts = [value].flat().map(String)
  if (place === 'header') return texts.every((text) => /^[\x20-\x7e]*$/.test(text) && text === text.trim())
  if (place === 'path') return texts.every((text) => text.isWellFormed() && !/^\.{0,2}$/.test(text))
  return schema !== undefined && texts.every((text) => text.isWellFormed())
}

function scalarsOf(text) {
  const number = Number(text)
  // `param.date` reads a day as its midnight in UTC.
  const instants = /^\d{4}-\d\d-\d\d$/.test(text) ? [`${text}T00:00:00Z`] : []
  return [text, ...instants, ...(/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) || String(number) === text ? [number] : []),
    ...(text === 'true' ? [true] : []), ...(text === 'false' ? [false] : [])]
}

function otherReading(value) {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'string') return typeof value === 'object' ? undefined : [value]
  const [, other] = scalarsOf(value)
  return other ?? [value]
}

function valueAt(content, place) {
  return place.reduce((one, key) => one?.[key], content)
}

function replaced(content, place, value) {
  if (place.length === 0) return value
  const copy = structuredClone(content)
  valueAt(copy, place.slice(0, -1))[place.at(-1)] = value
  return copy
}

function placesIn(value, place = []) {
  if (typeof value !== 'object' || value === null) return [place]
  return [place, ...Object.keys(value).flatMap((key) => placesIn(value[key], [...place, key]))]
}
