import type { Field } from '../../openapi/fields.js'
import type { Run } from './run.js'
import { typesIn } from './string-schemas.js'
import { queryOf, withQuery } from './url-cases.js'
import type { CheckRequest, Target } from './model.js'

/** Strings of a length for which patterns that backtrack take long. */
const GROWING: readonly ((length: number) => string)[] = [
  (length) => `${'a'.repeat(length - 1)}!`,
  (length) => `${'0'.repeat(length - 2)}x!`,
  (length) => `${' '.repeat(length - 1)}x`,
  (length) => `${'a.'.repeat(length)}@`,
]

/** Lengths for exponential time, each after a shorter one was fast; a long string would never end. */
const STEPS = [19, 23, 26, 28]

/** Lengths for quadratic time. */
const LONG = [2_000, 30_000, 90_000]

/** Milliseconds for one string that are too many. */
const SLOW = 350

/** Checks that no string of a parameter or a field takes a time that grows beyond all measure. */
export async function checkSlowness(run: Run): Promise<void> {
  for (const target of run.targets) {
    const [caller] = run.admitted(target)
    if (caller === undefined || run.isOver()) continue
    const make = await run.known.maker(target, caller)
    const isString = ({ schema }: Pick<Field, 'schema'>): boolean => typesIn(schema, run.resolve).includes('string')
    const places = [
      ...queryOf(target).filter(isString).map(({ name }): Place => ({ about: `the parameter \`${name}\``, most: 6_000,
        with: (text) => withQuery(make(), name, text) })
      ),
      ...[...run.fieldsOf(target)].filter(([, field]) => isString(field)).map(([name]): Place => ({
        about: `the field \`${name}\``,
        most: 90_000,
        with: (text) => make({ [name]: text }),
      })),
    ]
    for (const place of places) if (!run.isKnown(target, 'time')) await checkPlace(run, target, place)
  }
}

/** A place of a request for a string. */
interface Place {
  readonly about: string
  /** The length of the longest string. */
  readonly most: number
  readonly with: (text: string) => CheckRequest
}

async function checkPlace(run: Run, target: Target, place: Place): Promise<void> {
  for (const make of GROWING) {
    for (const length of [...STEPS, ...LONG.filter((one) => one <= place.most)]) {
      if (run.isOver()) return
      const request = place.with(make(length))
      const time = await timeOf(run, request)
      const grows = length === GROWN[1] && time >= NOTICED && await isExponential(run, place, make)
      if (!grows && time < SLOW) continue
      if (!grows && !await isSlow(run, place, make, length)) return
      await run.record(target, { request, about: place.about }, { kind: 'time',
        message: `The reply takes ${(time / 1000).toFixed(1)} seconds for a short or repeated string` })
      return
    }
  }
}

/** Lengths between which the time of a pattern that backtracks grows eight times. */
const GROWN = [23, 26] as const

/** Milliseconds of a longer string that are compared with those of a shorter one. */
const NOTICED = 50

async function isExponential(run: Run, place: Place, make: (length: number) => string): Promise<boolean> {
  const [short, long] = GROWN
  const leastOf = async (length: number): Promise<number> => {
    const request = place.with(make(length))
    return Math.min(await timeOf(run, request), await timeOf(run, request), await timeOf(run, request))
  }
  const [first, middle, last] = [await leastOf(short - 4), await leastOf(short), await leastOf(long)]
  return last >= NOTICED && last >= 4 * middle && middle >= 3 * first
}

/** The machine may have been busy: the same must take as long again, and a short string must not. */
async function isSlow(run: Run, place: Place, make: (length: number) => string, length: number): Promise<boolean> {
  const request = place.with(make(length))
  const short = Math.max(await timeOf(run, place.with(make(3))), await timeOf(run, place.with(make(4))))
  const again = Math.min(await timeOf(run, request), await timeOf(run, request))
  if (again < SLOW || again < 8 * short) return false
  // A password is refused if it is short, and hashed at any other length.
  return !STEPS.includes(length) || again >= 4 * await timeOfPlain(run, place, length)
}

/** Returns the shorter time of two strings of a length that make few patterns backtrack. */
async function timeOfPlain(run: Run, { with: make }: Place, length: number): Promise<number> {
  const mixed = 'Bq7-kZ 2_mW.9'.repeat(length).slice(0, length)
  return Math.min(await timeOf(run, make('x'.repeat(length))), await timeOf(run, make(mixed)))
}

async function timeOf(run: Run, request: CheckRequest): Promise<number> {
  return (await run.send(request)).milliseconds
}
