import { MisuseError } from '../errors.js'

/** A name as it may stand in a permission id, a realm and an audience. */
export function checkAppName(app: unknown): asserts app is string {
  if (typeof app === 'string' && /^[A-Za-z][\w-]*$/.test(app)) return
  throw new MisuseError('app_name', `An application is named by letters, digits, "_" and "-", a letter first, not ${show(app)}.`)
}

/** Refuses what is no object and keys that nobody reads: a misspelt option must not be a silent default. */
export function checkKeys(what: string, options: unknown, known: readonly string[]): asserts options is Readonly<Record<string, unknown>> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new MisuseError('options_shape', `${what}: the options are an object, not ${show(options)}.`)
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw new MisuseError('option_unknown', `${what}: there is no option \`${unknown}\`; there are ${known.join(', ')}.`)
  }
}

/** The longest time a timer of Node's can run. */
const LONGEST_TIMER = 2_147_483

/** A number of seconds; text out of the environment is refused, for nobody can say which unit it meant. */
export function secondsOf(name: string, value: unknown, preset: number): number {
  if (value === undefined) return preset
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new MisuseError('option_seconds', `\`${name}\` is a number of seconds, zero or more, not ${show(value)}.`)
}

/** Seconds to wait for somebody else's answer. */
export function timeoutOf(value: unknown): number {
  const seconds = secondsOf('timeout', value, 5)
  if (seconds > 0 && seconds <= LONGEST_TIMER) return seconds
  throw new MisuseError('option_seconds', `\`timeout\` is more than 0 and at most ${LONGEST_TIMER} seconds, not ${seconds}.`)
}

export function checkFunction(what: string, value: unknown): void {
  if (typeof value !== 'function') throw new MisuseError('option_function', `${what} is a function, not ${show(value)}.`)
}

/** Text keeps its quotes, so that `"60"` and 60 can be told apart; nothing long, nothing secret, is repeated. */
function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 20 ? 'a text' : JSON.stringify(value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
