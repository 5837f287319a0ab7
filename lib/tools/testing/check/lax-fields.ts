import { pathNamesOf } from '../../../core/index.js'
import type { Field } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { admittedRoutes, takes } from './checking.js'
import { argumentFor, collectionOf, pathOf, wordOf } from './collections.js'
import { collectionsOf, createIn, memberRequest, ownMember, type Collection } from './members.js'
import type { Run } from './run.js'
import { mayBeString, typesIn } from './string-schemas.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a field of days, which refuses other strings, refuses a day that no calendar has. */
export async function checkDates(run: Run): Promise<void> {
  for (const [target, caller] of admittedRoutes(run, 'POST', 'PUT', 'PATCH')) {
    for (const [name, { schema }] of run.fieldsOf(target)) {
      if (DATE.test(name) && mayBeString(schema, run.resolve)) await checkDate(run, target, caller, name)
    }
  }
}

/** Names such as `dueDate`, `birthday`, `startsAt`, `validUntil` and `from`. */
const DATE =
  /date|day|birth|dob|until|since|expir|due|deadline|(?:^|_)(?:from|to|on|at|start|end)$|[a-z](?:From|To|On|At)$/i

/** Strings of a day and of a moment: one that exists, and some that do not. */
const FORMS: readonly (readonly [valid: string, ...invalid: string[]])[] = [
  ['2027-03-15', '2027-02-30', '2027-13-01', '2027-04-31'],
  ['2027-03-15T10:00:00.000Z', '2027-02-30T10:00:00.000Z', '2027-04-31T10:00:00.000Z'],
]

async function checkDate(run: Run, target: Target, caller: string, name: string): Promise<void> {
  const make = await run.known.maker(target, caller)
  const isTaken = (value: string): Promise<boolean> => takes(run, make({ [name]: value }))
  // A field of any text, or one that depends on the others, tells nothing.
  if (await isTaken('not a date')) return
  for (const [valid, ...invalid] of FORMS) {
    if (!await isTaken(valid)) continue
    for (const value of invalid) {
      if (!await isTaken(value)) continue
      return reportField(run, target, make({ [name]: value }), name, `takes ${value}, a day that does not exist`)
    }
  }
}

async function reportField(run: Run, target: Target, request: CheckRequest, name: string,
  fault: string): Promise<void>
{
  await run.record(target, { request, about: `the field \`${name}\`` }, { kind: 'field',
    message: `\`${name}\` ${fault}` })
}

/** Checks that no caller can pay, send or take a negative amount. */
export async function checkAmounts(run: Run): Promise<void> {
  for (const [target, caller] of admittedRoutes(run, 'POST')) {
    const fields = isMove(target.path) ? [...run.fieldsOf(target)].filter(([name]) => AMOUNT.test(name)) : []
    for (const field of run.left(fields)) await checkAmount(run, target, caller, field)
  }
}

/** Routes that move money or goods from one side to the other. */
const MOVES = wordsOf('(?:re|pre)?pay(?:ments?|outs?)?', 'transfers?', 'withdraw(?:als?)?', 'deposits?', 'charges?',
  'top-?ups?', 'checkouts?', 'purchases?', 'donat(?:e|ions?)', 'redeem', 'redemptions?', 'send-?money', 'refunds?')

/** Routes that correct what was moved, where a negative amount may be meant. */
const CORRECTS = /correct|adjust|revers|cancel/

/** Returns a pattern of whole words: `payroll` is no word for a payment. */
function wordsOf(...words: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z])(?:${words.join('|')})(?![a-z])`)
}

function isMove(path: string): boolean {
  const words = path.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  return MOVES.test(words) && !CORRECTS.test(words)
}

const AMOUNT =
  /^(?:amount|sum|price|total|value|quantity|qty|count|units|points|credits?|cents)(?:_?(?:in_?)?(?:cents|minor))?$/i

/** Sends an amount below zero: a route that takes it moves it the other way. */
async function checkAmount(run: Run, target: Target, caller: string,
  [name, { schema }]: readonly [string, Field]): Promise<void>
{
  const isNumber = typesIn(schema, run.resolve).some((type) => type === 'number' || type === 'integer')
  const make = await run.known.maker(target, caller)
  for (const path of await pathsFor(run, target, caller)) {
    const request: CheckRequest = { ...make({ [name]: isNumber ? -2 : '-2.00' }), path }
    if (!await takes(run, request)) continue
    return reportField(run, target, request, name, 'may be below zero where money or goods are moved')
  }
}

/** Returns the paths for some records: what is paid or closed already may refuse any amount. */
async function pathsFor(run: Run, target: Target, caller: string): Promise<string[]> {
  const values = await run.known.valuesFor(target, caller)
  const last = pathNamesOf(target.path).at(-1)
  if (last === undefined) return [pathOf(target, values)]
  const records = await run.known.records(collectionOf(target, last), caller, values)
  const words = records.slice(0, 10).map((record) => wordOf(argumentFor(last, record)))
  return [...new Set([values[last] ?? '1', ...words])].map((word) => pathOf(target, { ...values, [last]: word }))
}

/** Changes records by values that the schema of a creation refuses by its bounds. */
export async function checkLaxChanges(run: Run): Promise<void> {
  for (const collection of run.left(collectionsOf(run))) {
    const change = ownMember(collection, 'PATCH')
    const created = change === undefined ? undefined : await createIn(collection)
    if (change !== undefined && created !== undefined) await checkBounds(collection, change, created.id)
  }
}

async function checkBounds(collection: Collection, change: Target, id: unknown): Promise<void> {
  const { run, caller, create } = collection
  const changed = new Set([...run.fieldsOf(change)].map(([name]) => name))
  for (const [name, { schema }] of [...run.fieldsOf(create)].filter(([one]) => changed.has(one))) {
    for (const value of outside(run.resolve(schema))) {
      const made = await memberRequest(run, change, caller, id)
      const request: CheckRequest = { ...made, body: { json: { [name]: value } } }
      if ((await run.send(request)).status >= 300) continue
      const refused = await run.send(await run.valid(create, caller, { [name]: value }))
      if (refused.status !== 422) continue
      return reportField(run, change, request, name, 'takes a value that a creation refuses')
    }
  }
}

/** Returns values beyond the bounds of a schema. */
function outside({ type, maxLength, minLength, minimum, maximum }: JsonSchema): unknown[] {
  if (type === 'string') {
    return [...bound(maxLength, 100_000, (most) => 'x'.repeat(most + 1)), ...(Number(minLength ?? 0) > 0 ? [''] : [])]
  }
  if (type !== 'integer' && type !== 'number') return []
  return [...bound(minimum, 1e15, (least) => least - 1), ...bound(maximum, 1e15, (most) => most + 1)]
}

function bound(limit: unknown, most: number, beyond: (limit: number) => unknown): unknown[] {
  return typeof limit === 'number' && Math.abs(limit) < most ? [beyond(limit)] : []
}
