/** The most digits after the point of a decimal. */
const SCALE = 100

const DECIMAL = new RegExp(`^-?\\d+(?:\\.\\d{1,${SCALE}})?$`)

/** True for a decimal as a string. */
export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value)
}

/** Converts a decimal into a bigint that compares as it does; any other value stays as it is. */
export function toDigits(value: unknown): unknown {
  if (!isDecimal(value)) return value
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}
