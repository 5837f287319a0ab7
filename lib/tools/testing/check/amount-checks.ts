import { pathNamesOf } from '../../../core/index.js'
import { argumentFor, collectionOf, isAdmitted, pathOf, wordOf } from './collections.js'
import type { Run } from './run.js'
import { typesIn } from './string-schemas.js'
import { bodyPlanOf } from './values.js'
import type { JsonSchema } from '../../openapi/types.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that nobody pays, sends or takes less than nothing. */
export async function checkAmounts(run: Run): Promise<void> {
  for (const target of run.targets) {
    const caller = [...run.sender.callers.keys()].find((name) => isAdmitted(target.access[name]))
    if (target.method !== 'POST' || !isMove(target.path) || caller === undefined) continue
    for (const [name, { schema }] of bodyPlanOf(target, run.resolve)?.fields ?? []) {
      if (run.isOver()) return
      if (AMOUNT.test(name)) await checkAmount(run, target, { caller, name, schema })
    }
  }
}

/** Routes that move money or goods from one side to the other. */
const MOVES = wordsOf('(?:re|pre)?pay(?:ments?|outs?)?', 'transfers?', 'withdraw(?:als?)?', 'deposits?', 'charges?',
  'top-?ups?', 'checkouts?', 'purchases?', 'donat(?:e|ions?)', 'redeem', 'redemptions?', 'send-?money', 'refunds?')

/** Routes that correct what was moved, where less than nothing may be meant. */
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
async function checkAmount(run: Run, target: Target,
  { caller, name, schema }: { readonly caller: string; readonly name: string; readonly schema: JsonSchema }
): Promise<void> {
  const isNumber = typesIn(schema, run.resolve).some((type) => type === 'number' || type === 'integer')
  const make = await run.known.maker(target, caller)
  for (const path of await pathsFor(run, target, caller)) {
    const request: CheckRequest = { ...make({ [name]: isNumber ? -2 : '-2.00' }), path }
    const { status } = await run.send(request)
    run.known.forget()
    if (status < 200 || status >= 300) continue
    await run.record(target, { request, about: `the field \`${name}\`` }, { kind: 'field',
      message: `\`${name}\` may be below zero where money or goods are moved` })
    return
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
