import { checkOptionNames, isObject, MisuseError, show } from '../../../core/index.js'
import type { AccessCallers } from '../access-matrix.js'
import type { RequestExample } from './known.js'
import type { Secret } from './leaks.js'
import type { DecodeEnvelope } from './reply-faults.js'

export interface CheckOptions {
  /** The callers by name: their claims, or `null` for one without credentials, who is added if none is given. */
  readonly callers?: AccessCallers | undefined
  /** The names of callers who may not learn of each other's rows, one of each tenant. @default none */
  readonly tenants?: readonly string[] | undefined
  /** Strings and patterns that no reply may contain, such as a key or the hash of a password. @default none */
  readonly secrets?: readonly Secret[] | undefined
  /** Returns all rows, in the same order each time: a refused request may not change them. @default no check of rows */
  readonly snapshot?: (() => unknown) | undefined
  /** Valid requests by the name of a route or by `GET /path`, where the schemas are not enough to make one. */
  readonly examples?: Readonly<Record<string, RequestExample>> | undefined
  /** The names of routes, or `GET /path`, that are not called. @default none */
  readonly skip?: readonly string[] | undefined
  /** The names of routes, or `GET /path`, that are called, and no others. @default all */
  readonly only?: readonly string[] | undefined
  /** Seconds after which no further request is sent. @default 1.5 for each route, 30 at the least */
  readonly budget?: number | undefined
  /** Seconds until a reply must have ended. @default 5 */
  readonly timeout?: number | undefined
  /** The seed of random values; the same seed sends the same requests. @default 1 */
  readonly seed?: number | undefined
  /** Reads another envelope; it throws for a body that is none. @default the envelope of this package */
  readonly decode?: DecodeEnvelope | undefined
  /** Receives a line about the progress. @default the terminal, if standard error is one */
  readonly progress?: ((line: string) => void) | false | undefined
}

/** Options without a default, or with one that depends on the app. */
type Open = 'snapshot' | 'only' | 'budget' | 'decode'

export type CheckSettings =
  & { readonly [Name in Exclude<keyof CheckOptions, Open | 'progress'>]-?: NonNullable<CheckOptions[Name]> }
  & { readonly [Name in Open]: CheckOptions[Name] }
  & { readonly progress: (line: string) => void }

const NAMES = ['callers', 'tenants', 'secrets', 'snapshot', 'examples', 'skip', 'only', 'budget', 'timeout', 'seed',
  'decode', 'progress']

/** @throws MisuseError `check_options` for an option that does not exist or has another type. */
export function toSettings(options: CheckOptions): CheckSettings {
  checkOptionNames('checkApi()', options, NAMES, 'check_options')
  const { callers = {}, tenants = [], secrets = [], examples = {}, skip = [], only, seed = 1 } = options
  const { budget, timeout = 5, snapshot, decode, progress } = options
  const settings = { secrets, examples, skip, only, seed, budget, timeout, snapshot, decode, tenants }
  checkTypes(settings)
  checkTenants(tenants, callers)
  checkExamples(examples)
  return { ...settings, callers: withAnonymous(callers), progress: progressTo(progress) }
}

/** Returns true if an element of `skip` or `only` is the name of a route, or its beginning in front of a `*`. */
export function isNamed(given: string, name: string | null): boolean {
  return given.endsWith('*') ? name?.startsWith(given.slice(0, -1)) === true : given === name
}

type Given = Readonly<Record<string, unknown>>

const KINDS: Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>> = {
  secrets: ['a list of strings of at least 3 characters, or patterns',
    (value) => isListOf(value, (one) => one instanceof RegExp || (typeof one === 'string' && one.length >= 3))],
  tenants: ['a list of names of callers', (value) => isStrings(value)],
  skip: ['a list of routes', (value) => isStrings(value)],
  only: ['a list of one or more routes', (value) => value === undefined || isStrings(value, 1)],
  examples: ['an object of requests by route', isObject],
  budget: ['a number of seconds', (value) => value === undefined || isPositive(value)],
  timeout: ['a number of seconds', isPositive],
  seed: ['a whole number', Number.isSafeInteger],
  snapshot: ['a function', isFunction],
  decode: ['a function', isFunction],
}

function checkTypes(settings: Given): void {
  for (const [name, [what, is]] of Object.entries(KINDS)) {
    if (!is(settings[name])) throw misuse(`\`${name}\` of checkApi() must be ${what}, not ${show(settings[name])}.`)
  }
}

function isListOf(value: unknown, is: (one: unknown) => boolean, least = 0): boolean {
  return Array.isArray(value) && value.length >= least && value.every(is)
}

function isStrings(value: unknown, least = 0): boolean {
  return isListOf(value, (one) => typeof one === 'string', least)
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
}

function isFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}

function checkTenants(tenants: readonly string[], callers: AccessCallers): void {
  const unknown = tenants.find((name) => !Object.hasOwn(callers, name) || callers[name] === null)
  if (unknown !== undefined) {
    throw misuse(`\`tenants\` of checkApi() names ${show(unknown)}, who is none of \`callers\`.`)
  }
  if (new Set(tenants).size < tenants.length) throw misuse('`tenants` of checkApi() names a caller twice.')
  if (tenants.length === 1) throw misuse('`tenants` of checkApi() needs two callers or more.')
}

const PARTS = ['path', 'query', 'body', 'headers']

/** A misspelt part of an example would be left out. */
function checkExamples(examples: CheckSettings['examples']): void {
  for (const [route, example] of Object.entries(examples)) {
    const name = `\`examples\` of checkApi() for \`${route}\``
    if (!isObject(example)) throw misuse(`${name} must be a request such as { body: {} }, not ${show(example)}.`)
    checkOptionNames(name, example, PARTS, 'check_options')
  }
}

/** Adds a caller without credentials. */
function withAnonymous(callers: AccessCallers): AccessCallers {
  const isGiven = Object.values(callers).includes(null)
  if (!isGiven && Object.hasOwn(callers, 'anonymous')) {
    throw misuse(
      'The caller `anonymous` of checkApi() has claims, but this is the name of the one without credentials, '
        + 'who is added. Give the caller another name.',
    )
  }
  return isGiven ? callers : { ...callers, anonymous: null }
}

/** Returns `snapshot` with a limit: one that never ends would end the process without a report. */
export function boundedSnapshot({ snapshot }: CheckSettings, seconds: number): CheckSettings['snapshot'] {
  if (snapshot === undefined) return undefined
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      const late = misuse(`\`snapshot\` of checkApi() has not returned within ${seconds} seconds.`)
      timer = setTimeout(reject, seconds * 1000, late)
    })
    try {
      return await Promise.race([snapshot(), limit])
    } finally {
      clearTimeout(timer)
    }
  }
}

function progressTo(progress: CheckOptions['progress']): (line: string) => void {
  if (typeof progress === 'function') return progress
  if (progress === false || !process.stderr.isTTY) return () => undefined
  return (line) => void process.stderr.write(`\r\u001b[K${line}`)
}

function misuse(message: string): MisuseError {
  return new MisuseError('check_options', message)
}
