import { MisuseError } from '../errors.js'
import { show } from '../options.js'

/** A name as it may stand in a permission id, a realm and an audience. */
export function checkAppName(app: unknown): asserts app is string {
  if (typeof app === 'string' && /^[A-Za-z][\w-]*$/.test(app)) return
  throw new MisuseError('app_name', `An application is named by letters, digits, "_" and "-", a letter first, not ${show(app)}.`)
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
