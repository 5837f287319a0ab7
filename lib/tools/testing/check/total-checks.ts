import { isAdmitted, propertiesOf, type KnownRecord } from './collections.js'
import { memberOf, memberRequest, recordOf } from './members.js'
import type { Run } from './run.js'

/** Checks that a record with lines of a price and a quantity has their sum as its total. */
export async function checkTotals(run: Run): Promise<void> {
  const lists = run.targets.filter(({ method, entry }) => method === 'GET' && entry?.action === 'list')
  for (const list of run.left(lists)) {
    const [caller] = run.admitted(list)
    if (caller === undefined) continue
    const records = await run.known.records(list.path, caller, await run.known.valuesFor(list, caller))
    const show = memberOf(run, list.path, 'GET')
    if (show === undefined || !isAdmitted(show.access[caller])) continue
    for (const { id } of records.slice(0, 5)) {
      if (id === undefined || run.isKnown(show, 'data')) break
      const request = await memberRequest(run, show, caller, id)
      const message = totalFault(recordOf(await run.send(request)) ?? {})
      if (message !== undefined) await run.record(show, { request, about: 'a sum' }, { kind: 'data', message })
    }
  }
}

const TOTAL = /^(?:sub_?|grand_?)?(?:total|sum)(?:_?(?:price|amount|cents))?$/i
const PRICE = /^(?:(?:unit|net|gross)_?)?price(?:_?cents)?$/i
const QUANTITY = /^(?:quantity|qty|count|units)$/i

function totalFault(record: KnownRecord): string | undefined {
  const lines = Object.values(record).map(linesIn).find((found) => found.length > 0)
  const [name, value] = Object.entries(record).find(([key]) => TOTAL.test(key)) ?? []
  const total = numberOf(value)
  const mistake = lines === undefined || total === undefined ? undefined : mistakeIn(total, lines)
  return mistake && `\`${name}\` ${mistake}`
}

/** A total may have a discount, taxes and more; that it is what a usual mistake makes of the lines is no accident. */
function mistakeIn(total: number, lines: readonly Line[]): string | undefined {
  const sums = lines.map(({ price, quantity }) => price * quantity)
  const whole = sumOf(sums)
  if (isSame(total, whole)) return undefined
  if (isSame(total, sumOf(lines.map(({ price }) => price)))) return 'is the sum of the prices without the quantities'
  if (lines.length > 1 && sums.some((sum) => isSame(total, whole - sum))) return 'leaves out a line'
  const isRounded = Number.isInteger(total) && !Number.isInteger(whole) && Math.abs(total - whole) < 1
  return isRounded ? 'has lost the fraction of the sum' : undefined
}

interface Line {
  readonly price: number
  readonly quantity: number
}

/** Returns the lines of a list of objects that all have a price and a quantity. */
function linesIn(value: unknown): Line[] {
  if (!Array.isArray(value)) return []
  const lines = value.map((item: unknown) => {
    const entries = Object.entries(propertiesOf(item))
    const price = numberOf(entries.find(([name]) => PRICE.test(name))?.[1])
    const quantity = numberOf(entries.find(([name]) => QUANTITY.test(name))?.[1])
    return price === undefined || quantity === undefined ? undefined : { price, quantity }
  })
  return lines.every((line) => line !== undefined) ? lines : []
}

/** A decimal is a number or a string of digits. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.005
}
