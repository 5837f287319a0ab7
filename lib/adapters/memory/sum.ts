import { MisuseError, show } from '../../core/index.js'

const DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * Sums values as a database does: whole numbers, bigints and decimals in strings exactly, fractions in numbers as
 * numbers; nulls are ignored.
 *
 * @throws MisuseError `store_sum` for another value.
 */
export function sumOf(field: string, values: readonly unknown[]): string {
  const present = values.filter((value) => value !== null && value !== undefined)
  const isNumber = (value: unknown): boolean =>
    typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && DECIMAL.test(value))
  const other = present.find((value) => !isNumber(value))
  if (other !== undefined) throw new MisuseError('store_sum', `\`${field}\` is ${show(other)}, which is no number.`)
  if (present.some((value) => typeof value === 'number' && !Number.isSafeInteger(value))) {
    return String(present.reduce((sum: number, value) => sum + Number(value), 0))
  }
  const texts = present.map(String)
  const scale = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0))
  const sum = texts.reduce((total, text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return total + BigInt(whole + fraction.padEnd(scale, '0'))
  }, 0n)
  if (scale === 0 || sum === 0n) return String(sum)
  const digits = String(sum < 0n ? -sum : sum).padStart(scale + 1, '0')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
