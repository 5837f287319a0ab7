import { z } from 'zod'
import { MisuseError } from '../base/errors.js'
import { messageOf, type Message } from '../base/messages/messages.js'
import { isList } from '../base/guards.js'
import { checkOptionNames, show } from '../base/options.js'
import { convertStrings, convertValues, isCalendarDate, isDecimal, isExact, requireFormat, toBigint, toBoolean, toDate,
  toDecimal, toInteger, toNumber } from './strings.js'
import { errorWith } from './issue-messages.js'
import { afterParse, documentAs, extendClass, setFormat, wrapParse } from './zod-schemas.js'
import { synchronous } from './user-functions.js'

synchronous(isExact)

/** A zod number that may be sent as a string. */
export type NumberParam = z.coerce.ZodCoercedNumber<number | string>
/** A zod bigint that may be sent as a string of digits, or as a number without a fraction. */
export type BigintParam = z.coerce.ZodCoercedBigInt<bigint | number | string>
/** A zod boolean that may be sent as a string. */
export type BooleanParam = z.coerce.ZodCoercedBoolean<boolean | string>
/** A string of the digits of a decimal. */
export type DecimalParam = z.ZodType<string, string>
/** A zod date that may be sent as a string. */
export type DateParam = z.coerce.ZodCoercedDate<Date | string>

type ListInternals<T extends z.ZodType> = Omit<z.core.$ZodArrayInternals<T>, 'input'> & { input: z.input<T>[] | string }

/** A zod array that may be sent as one string. */
export interface ListParam<T extends z.ZodType>
  extends z._ZodType<ListInternals<T>>, Pick<z.ZodArray<T>, 'element' | 'unwrap'>
{
  min(length: number, params?: Parameters<z.ZodArray['min']>[1]): this
  max(length: number, params?: Parameters<z.ZodArray['max']>[1]): this
  length(length: number, params?: Parameters<z.ZodArray['length']>[1]): this
  nonempty(params?: Parameters<z.ZodArray['nonempty']>[0]): this
}

const IntegerFromText = extendClass(z.ZodNumberFormat, 'ResourceryInteger',
  (schema) => convertStrings(schema, toInteger))
const NumberFromText = extendClass(z.ZodNumber, 'ResourceryNumber', (schema) => convertStrings(schema, toNumber))
const BigintFromText = extendClass(z.ZodBigInt, 'ResourceryBigint', (schema) => convertValues(schema, toBigint))
const BooleanFromText = extendClass(z.ZodBoolean, 'ResourceryBoolean', (schema) => convertStrings(schema, toBoolean))

const DateFromText = extendClass(z.ZodDate, 'ResourceryDate', (schema) => {
  documentAs(schema, { type: 'string', format: 'date-time' })
  convertStrings(schema, toDate)
})

const CalendarDate = extendClass(z.ZodString, 'ResourceryCalendarDate', (schema) => {
  setFormat(schema, 'date')
  requireFormat(schema, 'date', (text) => (isCalendarDate(text) ? text : undefined))
})

interface DecimalDef extends z.core.$ZodStringDef {
  /** The most digits after the point. */
  readonly scale?: number
}

const DecimalText = extendClass(z.ZodString, 'ResourceryDecimal', (schema, def) => {
  const { scale = 0 }: DecimalDef = def
  const pattern = scale === 0 ? '' : `(\\.\\d{1,${scale}})?`
  documentAs(schema, { type: 'string', format: 'decimal', pattern: `^-?(0|[1-9]\\d*)${pattern}$` })
  requireFormat(schema, 'decimal', (text) => toDecimal(text, scale))
})

const ListFromText = extendClass<z.ZodArray<z.ZodType>>(
  z.ZodArray,
  'ResourceryList',
  (schema) => convertStrings(schema, (text) => [text]),
)

const IdsFromText = extendClass<z.ZodArray<z.ZodType>>(z.ZodArray, 'ResourceryIds', (schema) => {
  wrapParse(schema, (parse) => (payload, context) => {
    const value: unknown = payload.value
    if (typeof value === 'string') payload.value = value === '' ? [] : unique(value.split(','))
    else if (isList(value)) payload.value = unique(value)
    return afterParse(parse(payload, context), (read) => {
      if (read.issues.length === 0 && isList(read.value)) read.value = unique(read.value)
      return read
    })
  })
})

function unique(values: readonly unknown[]): unknown[] {
  return [...new Set(values)]
}

/** Makes the schema of a list of ids without duplicates, in their order: `?ids=1,2` or `?ids=1&ids=2`. */
export function idList<Id extends z.ZodType>(id: Id): z.ZodArray<Id> {
  return new IdsFromText(
    { type: 'array', element: id, error: typeError(messageOf('field.type.ids')) },
  ) as z.ZodArray<Id>
}

/** Returns true for a schema of `idList`, whose items are joined by commas in a query. */
export function isIdList(schema: z.core.$ZodType): boolean {
  return schema instanceof IdsFromText
}

/**
 * Sets the message of the type check only: methods such as `.min()` have messages of their own, and so has a missing
 * value where the message is not the application's.
 */
function typeError(message: string | Message, ofType = isTypeIssue): z.core.$ZodErrorMap {
  const error = errorWith(message)
  const isOwn = typeof message === 'string'
  return (issue) => (ofType(issue) && (isOwn || issue.input !== undefined) ? error(issue) : undefined)
}

function isTypeIssue({ code, origin }: z.core.$ZodRawIssue): boolean {
  return code === 'invalid_type' || origin === 'int'
}

/**
 * Makes zod schemas for values that may be sent as strings, in a path, a query or a form.
 *
 * They are stricter than `z.coerce`: only canonical strings are converted, and `""`, `" 42"`, `"4e1"`, `"0x10"`,
 * `["5"]` and integers beyond ±9007199254740991 are refused. A number, boolean or Date is accepted as it is, so one
 * schema works for JSON and forms. All methods of the zod type are available.
 *
 * @example
 * const input = z.object({ id: param.int(), page: param.int().min(1).default(1), active: param.bool().optional() })
 */
export const param = {
  /** A whole number: `42`, `"42"`, `"-7"`. */
  int: (message?: string): NumberParam => {
    const def = {
      type: 'number',
      check: 'number_format',
      format: 'safeint',
      abort: true,
      error: typeError(message ?? messageOf('field.type.int')),
    } as const
    return new IntegerFromText(def)
  },

  /** A number: `1.5`, `"1.5"`, `"-0.25"`. */
  number: (message?: string): NumberParam => {
    const text = message ?? messageOf('field.type.number')
    const number = new NumberFromText({ type: 'number', error: typeError(text) })
    return number.refine(isExact, { error: errorWith(text), abort: true })
  },

  /**
   * A whole number of any size, as a bigint: `"9007199254740993"`, or a JSON number up to ±9007199254740991, beyond
   * which JSON loses digits; at most 1000 characters. Replies have it as a string of digits too.
   */
  bigint: (message?: string): BigintParam => {
    return new BigintFromText({ type: 'bigint', error: typeError(message ?? messageOf('field.type.int')) })
  },

  /** `true`, `false`, `"true"` or `"false"`. */
  bool: (message?: string): BooleanParam => {
    return new BooleanFromText({ type: 'boolean', error: typeError(message ?? messageOf('field.type.boolean')) })
  },

  /**
   * An instant: a Date, an RFC 3339 date-time with its offset (`"2026-11-21T08:30:00Z"`), or a date (`"2026-11-21"`,
   * midnight in UTC). Documented as `date-time`. For a day without a time use `calendarDate`.
   */
  date: (message?: string): DateParam => {
    return new DateFromText({ type: 'date', error: typeError(message ?? messageOf('field.instant')) })
  },

  /**
   * A day of the calendar in the years 0001 to 9999, as the string `"2026-12-01"`. It stays a string, so no time zone
   * can change it. A Date, a time and a day that does not exist (`"2026-02-30"`) are refused. Documented as `date` (RFC
   * 3339 §5.6 full-date).
   */
  calendarDate: (message?: string): z.ZodString => {
    const error = typeError(
      message ?? messageOf('field.format.date'),
      ({ code, format }) => code === 'invalid_type' || format === 'date',
    )
    return new CalendarDate({ type: 'string', error })
  },

  /**
   * A decimal as a string of digits with at most `scale` of them after its point, such as an amount of money: `"12.5"`
   * is `"12.50"` with a scale of 2. It stays a string, so no digit is lost; a number is refused. Documented as
   * `decimal`.
   *
   * @throws MisuseError `param_scale` for a scale that is no whole number from 0 to 100, `option_unknown`.
   */
  decimal: (options: { readonly scale: number }, message?: string): DecimalParam => {
    checkOptionNames('param.decimal', options, ['scale'])
    const { scale } = options
    if (!Number.isInteger(scale) || scale < 0 || scale > 100) {
      throw new MisuseError('param_scale',
        `The scale of param.decimal must be a whole number from 0 to 100, not ${show(scale)}.`)
    }
    const wording = (text: string): z.core.$ZodErrorMap =>
      errorWith(
        message ?? (isDecimal(text) ? messageOf('field.decimal_scale', { scale }) : messageOf('field.type.decimal')),
      )
    const error: z.core.$ZodErrorMap = (issue) => {
      const isMissing = issue.input === undefined && message === undefined
      const isOwn = !isMissing && (issue.code === 'invalid_type' || issue.format === 'decimal')
      return isOwn ? wording(typeof issue.input === 'string' ? issue.input : '')(issue) : undefined
    }
    const def: DecimalDef = { type: 'string', error, scale }
    return new DecimalText(def)
  },

  /**
   * A list; a single string is a list of one, so `?tag=a` and `?tag=a&tag=b` both work. Commas are ordinary characters.
   */
  list: <T extends z.ZodType>(schema: T, message?: string): ListParam<T> => {
    return new ListFromText(
      { type: 'array', element: schema, error: typeError(message ?? messageOf('field.type.list')) },
    ) as ListParam<T>
  },
}
