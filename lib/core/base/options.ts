import { MisuseError, type MisuseCode } from './misuse.js'
import { IncomingMessage } from './node-http.js'

/** Former options with their new names. */
type Renamed = Readonly<Record<string, string>>

/** The names of options, and former ones. */
interface Names {
  readonly names: readonly string[]
  readonly renamed: Renamed
}

/**
 * Checks the names of options, so that a misspelt option is not ignored.
 *
 * @throws MisuseError `options_shape` for anything but an object, `code` for an unknown name, with the names of the
 * options.
 */
export function checkOptionNames(
  where: string,
  options: unknown,
  allowed: readonly string[] | Names,
  code: MisuseCode = 'option_unknown',
): asserts options is object {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new MisuseError('options_shape', `${where}: the options must be an object, not ${show(options)}.`)
  }
  const names = 'names' in allowed ? allowed.names : allowed
  const renamed = 'names' in allowed ? allowed.renamed : {}
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new MisuseError(code, unknownOption(where, unknown, names, renamed))
}

function unknownOption(where: string, unknown: string, names: readonly string[], renamed: Renamed): string {
  const now = Object.hasOwn(renamed, unknown) ? renamed[unknown] : undefined
  if (now !== undefined) return `${where}: the option \`${unknown}\` was renamed to \`${now}\`.`
  return `${where}: there is no option \`${unknown}\`.${suggestion(unknown, names)} The options are ${
    names.join(', ')
  }.`
}

/** Returns a question for the known name that is closest to a misspelt one, an empty string if none is close. */
export function suggestion(name: string, allowed: readonly string[]): string {
  const near = nearest(name, allowed)
  return near === undefined ? '' : ` Did you mean \`${near}\`?`
}

/** Returns the known name that is closest to a misspelt one, `undefined` if none is close. */
function nearest(name: string, allowed: readonly string[]): string | undefined {
  const distances = allowed.map((candidate) => ({
    candidate,
    distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()),
  }))
  const closest = distances.toSorted((a, b) => a.distance - b.distance)[0]
  if (closest === undefined || closest.distance > Math.max(1, Math.floor(closest.candidate.length / 3)))
    return undefined
  return closest.candidate
}

/** Returns the number of letters to add, remove or replace (Levenshtein). */
export function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1]
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (letter === other[to - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Describes a value for a message: short strings in quotes, and nothing long, which may be secret. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 20 ? 'a string' : JSON.stringify(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? showObject(value) : String(value)
}

/** A schema of zod 3, which zod 4 has as `zod/v3`, keeps its definition as `_def` alone. */
function showObject(value: object): string {
  if (!('parse' in value && '_def' in value)) return 'an object'
  return 'def' in value ? 'a schema of another kind' : 'a schema of zod 3'
}

/**
 * Checks the first argument of a function that makes middleware: Express gives a request to one that was mounted
 * without being called. `call` is what to write.
 *
 * @throws MisuseError `options_shape`.
 */
export function checkCalled(call: string, argument: unknown): void {
  if (!(argument instanceof IncomingMessage)) return
  throw new MisuseError('options_shape', `A function that makes middleware was mounted without being called: write `
    + `\`${call}\`.`)
}

/** @throws MisuseError `option_function`. */
export function checkFunction(what: string, value: unknown): void {
  if (typeof value === 'function') return
  throw new MisuseError('option_function', `${what} must be a function, not ${show(value)}.`)
}
