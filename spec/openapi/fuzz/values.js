import fc from 'fast-check'

const TRIES = 60
const DEEPEST = 6

/** Strings that parsers and databases treat in ways of their own. */
// dprint-ignore
const ODD_STRINGS = [
  '', ' ', '\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\n', 'null', 'true', '0', '-0', '01', '1e3', '0x10', ' 1', '1.0',
  '1.5', '-1', '9007199254740993', '99999999999999999999', 'NaN', 'Infinity', '[object Object]', '__proto__', '%', '_',
  "'", '"', '\\', ',', '1,2', 'a,a', '-', '😀', '😀'.repeat(40), 'x'.repeat(300), 'x'.repeat(5000), '2026-02-30',
  '2026-11-21', '0000-01-01', '2026-11-21T08:30:00', '2026-11-21T25:00:00Z', 'a@b', '../x', '*', 'W/"1"', '"a"',
]

const ODD_VALUES = [...ODD_STRINGS, 0, -1, 1, 2, 1.5, -0.1, 0.001, 100, 101, 2 ** 31, 2 ** 53, 1e21, 1e300, -1e10, null,
  true, false, [], {}, [null], [1, 1], ['a'], { a: 1 }, [[]], [{}]]

const LAST = { min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }

/** Values of the formats that JSON Schema and OpenAPI name. */
const FORMATS = {
  'date-time': fc.tuple(fc.date(LAST), fc.constantFrom('Z', 'z', '+02:00', '-11:30'), fc.boolean())
    .map(([date, zone, isExact]) => date.toISOString().replace(isExact ? 'Z' : /\.\d+Z/, zone)),
  date: fc.date(LAST).map((date) => date.toISOString().slice(0, 10)),
  time: fc.constantFrom('08:30:00Z', '23:59:59+02:00', '08:30:00'),
  uuid: fc.uuid(),
  email: fc.tuple(fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{1,5})?$/), fc.stringMatching(/^[a-z]{2,8}$/))
    .map(([name, host]) => `${name}@${host}.example`),
  uri: fc.webUrl({ withQueryParameters: true }),
  decimal: fc.tuple(fc.integer({ min: -9999, max: 99999 }), fc.constantFrom('', '.5', '.25'))
    .map(([whole, rest]) => `${whole}${rest}`),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  hostname: fc.domain(),
}

/** Makes the values of the schemas of a document, from a seed. */
export class Values {
  #document
  #next
  #pools = new Map()
  #seed

  constructor(document, seed) {
    this.#document = document
    this.#seed = seed
    this.#next = randomOf(seed)
  }

  /** Returns a whole number from 0 to below a bound. */
  below(bound) {
    return Math.floor(this.#next() * bound)
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  /** Returns true in so many of a hundred cases. */
  chance(percent) {
    return this.below(100) < percent
  }

  /** Returns any JSON value, an odd one more often than others. */
  anyJson() {
    return structuredClone(this.pick(ODD_VALUES))
  }

  anyString() {
    return this.chance(60) ? this.pick(ODD_STRINGS) : this.#pool('any', fc.string({ unit: 'binary', maxLength: 8 }))
  }

  /** Returns a value that a schema accepts, `undefined` where none was found. */
  of(schema, depth = 0) {
    for (let turn = 0; turn < TRIES; turn++) {
      const value = this.#make(schema, depth)
      if (value !== undefined && this.#document.holds(schema, value)) return value
    }
    return undefined
  }

  #make(schema, depth) {
    if (schema === true || Object.keys(schema).length === 0) return this.anyJson()
    if (schema.$ref !== undefined) return this.of(this.#document.read(schema.$ref), depth)
    if ('const' in schema) return schema.const
    if (schema.enum !== undefined) return this.pick(schema.enum)
    const { anyOf, oneOf, allOf, discriminator: _by, ...rest } = schema
    const parts = [...(allOf ?? [])]
    const variants = anyOf ?? oneOf
    if (variants !== undefined) parts.push(this.pick(variants))
    if (parts.length === 0) return this.#ofType(schema, depth)
    if (rest.type !== undefined || rest.properties !== undefined) parts.push(rest)
    const made = parts.map((part) => this.of(part, depth + 1))
    return made.every(isObject) ? Object.assign({}, ...made) : made.at(-1)
  }

  #ofType(schema, depth) {
    switch (this.pick([schema.type ?? typeOf(schema)].flat())) {
      case 'null':
        return null
      case 'boolean':
        return this.chance(50)
      case 'integer':
        return this.#number(schema, true)
      case 'number':
        return this.#number(schema, false)
      case 'string':
        return this.#string(schema)
      case 'array':
        return this.#list(schema, depth)
      default:
        return this.#object(schema, depth)
    }
  }

  #number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }, isWhole) {
    const step = isWhole ? 1 : 1e-6
    const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step)
    const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step)
    const low = least ?? Math.min(-1000, (most ?? 0) - 1000)
    const high = most ?? Math.max(1000, (least ?? 0) + 1000)
    const within = low + this.#next() * (high - low)
    if (multipleOf !== undefined) return Number((Math.round(within / multipleOf) * multipleOf).toFixed(10))
    const edge = this.chance(20) ? this.pick([low, high]) : within
    return isWhole || this.chance(50)
      ? Math.min(Math.floor(high), Math.max(Math.ceil(low), Math.round(edge)))
      : Math.min(high, Math.max(low, Number(edge.toFixed(3))))
  }

  #string({ minLength = 0, maxLength, pattern, format }) {
    if (FORMATS[format] !== undefined && this.chance(90)) return this.#pool(format, FORMATS[format])
    if (pattern !== undefined && this.chance(60)) {
      const made = this.#matching(pattern)
      if (made !== undefined) return made
    }
    if (maxLength !== undefined && maxLength <= 600 && this.chance(15)) {
      return this.pick(['é', 'a', '😀']).repeat(this.chance(70) ? maxLength : Math.max(minLength, 1))
    }
    const most = Math.min(maxLength ?? 12, Math.max(minLength, 12))
    if (minLength < 3 && this.chance(20)) return this.anyString()
    const unit = this.chance(30) ? 'binary' : 'grapheme-ascii'
    return this.#pool(`${unit} ${minLength} ${most}`, fc.string({ unit, minLength, maxLength: most }))
  }

  #matching(pattern) {
    try {
      return this.#pool(pattern, fc.stringMatching(new RegExp(pattern, 'u')))
    } catch {
      return undefined // fast-check does not know look-aheads.
    }
  }

  #pool(name, arbitrary) {
    if (!this.#pools.has(name)) this.#pools.set(name, fc.sample(arbitrary, { seed: this.#seed, numRuns: 200 }))
    return this.pick(this.#pools.get(name))
  }

  #list({ items = {}, prefixItems, minItems = 0, maxItems }, depth) {
    if (prefixItems !== undefined) return prefixItems.map((one) => this.of(one, depth + 1))
    const most = depth > DEEPEST ? minItems : Math.min(maxItems ?? 3, Math.max(minItems, 3))
    const length = minItems + this.below(most - minItems + 1)
    return Array.from({ length }, () => this.of(items, depth + 1)).filter((item) => item !== undefined)
  }

  #object({ properties = {}, required = [], additionalProperties, propertyNames = {}, minProperties = 0 }, depth) {
    const made = {}
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.includes(name) && (depth > DEEPEST || this.chance(50))) continue
      const value = this.of(schema, depth + 1)
      if (value !== undefined) made[name] = value
    }
    if (!isObject(additionalProperties) || depth > DEEPEST) return made
    for (let left = minProperties + this.below(3); left > 0; left--) {
      const key = this.of({ type: 'string', maxLength: 8, ...propertyNames }, depth + 1)
      if (key !== undefined && !Object.hasOwn(made, key)) made[key] = this.of(additionalProperties, depth + 1)
    }
    return made
  }
}

/** Mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function typeOf({ properties, items, minimum }) {
  if (properties !== undefined) return 'object'
  if (items !== undefined) return 'array'
  return minimum === undefined ? 'string' : 'number'
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
