const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** RFC 3339 §5.6 with its offset, or an ISO date alone, which is midnight in UTC. */
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i

/** The integer whose canonical decimal text this is; `undefined` for any other text, and where digits would be lost. */
export function toInteger(text: string): number | undefined {
  const value = Number(text)
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined
}

/** The number that a plain decimal text says: no exponent, no leading zero, no sign but a minus. */
export function toNumber(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = Number(text)
  return Object.is(value, -0) || !isExact(value) ? undefined : value
}

/** Whether a number is finite and no integer so large that its neighbours are rounded to it. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

export function toBoolean(text: string): boolean | undefined {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
}

/** The instant of a date-time or date that the calendar knows. */
export function toDate(text: string): Date | undefined {
  const day = DATE.exec(text)?.[1]
  return day === undefined || !isCalendarDay(day) ? undefined : new Date(text.toUpperCase())
}

/** Returns true for a day of the calendar, `YYYY-MM-DD`, in the years 0001 to 9999. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !text.startsWith('0000') && isCalendarDay(text)
}

function isCalendarDay(day: string): boolean {
  // JavaScript refuses a 32nd, and moves the 30th of February into March.
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
