/** The largest value of a sequence that counts up an `int`. */
const LAST = 2 ** 31 - 1

type Reader = readonly [pattern: RegExp, values: (text: string) => readonly unknown[]]

/** The defaults that are known, as PostgreSQL writes them. */
const READERS: readonly Reader[] = [
  [/^'((?:[^']|'')*)'(?:::[\w ."()]+)?$/, (text) => [text.replaceAll("''", "'")]],
  [/^(\d+(?:\.\d+)?)$/, (text) => [Number(text)]],
  [/^(true|false)$/, (text) => [text === 'true']],
  [/^NULL(?:::[\w ."()]+)?$/, () => [null]],
  [/^nextval\(/, () => [1, LAST]],
  [/^(?:now\(\)|(?:CURRENT_TIMESTAMP|LOCALTIMESTAMP)(?:\(\d\))?)$/, () => [new Date()]],
  [/^CURRENT_DATE$/, () => ['2000-01-01']],
  [/^gen_random_uuid\(\)$/, () => ['00000000-0000-4000-8000-000000000000']],
]

/**
 * Returns the values of a column by the expression of its default in PostgreSQL, or some that stand for all of them;
 * `undefined` for any other expression.
 */
export function valuesOfDefault(expression: string): readonly unknown[] | undefined {
  for (const [pattern, values] of READERS) {
    const [whole, text = ''] = pattern.exec(expression) ?? []
    if (whole !== undefined) return values(text)
  }
  return undefined
}
