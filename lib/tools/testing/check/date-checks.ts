import { isAdmitted } from './collections.js'
import type { Run } from './run.js'
import { mayBeString } from './string-schemas.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a field of days, which refuses other strings, refuses a day that no calendar has. */
export async function checkDates(run: Run): Promise<void> {
  for (const target of run.targets.filter(({ method }) => WRITES.has(method))) {
    const caller = [...run.sender.callers.keys()].find((name) => isAdmitted(target.access[name]))
    if (run.isOver() || caller === undefined) continue
    const plan = bodyPlanOf(target, run.resolve)
    for (const [name, { schema }] of plan?.fields ?? []) {
      if (DATE.test(name) && mayBeString(schema, run.resolve)) await checkField(run, target, { caller, name })
    }
  }
}

const WRITES = new Set(['POST', 'PUT', 'PATCH'])

/** Names such as `dueDate`, `birthday`, `startsAt`, `validUntil` and `from`. */
const DATE =
  /date|day|birth|dob|until|since|expir|due|deadline|(?:^|_)(?:from|to|on|at|start|end)$|[a-z](?:From|To|On|At)$/i

/** Strings of a day and of a moment: one that exists, and some that do not. */
const FORMS: readonly (readonly [valid: string, ...invalid: string[]])[] = [
  ['2027-03-15', '2027-02-30', '2027-13-01', '2027-04-31'],
  ['2027-03-15T10:00:00.000Z', '2027-02-30T10:00:00.000Z', '2027-04-31T10:00:00.000Z'],
]

async function checkField(run: Run, target: Target,
  { caller, name }: { readonly caller: string; readonly name: string }): Promise<void>
{
  const make = await run.known.maker(target, caller)
  const requestFor = (value: string): CheckRequest => make({ [name]: value })
  const isTaken = async (value: string): Promise<boolean> => {
    const { status } = await run.send(requestFor(value))
    run.known.forget()
    return status >= 200 && status < 300
  }
  // A field of any text, or one that depends on the others, tells nothing.
  if (await isTaken('not a date')) return
  for (const [valid, ...invalid] of FORMS) {
    if (!await isTaken(valid)) continue
    for (const value of invalid) {
      if (!await isTaken(value)) continue
      await run.record(target, { request: requestFor(value), about: `the field \`${name}\`` }, { kind: 'field',
        message: `\`${name}\` takes ${value}, a day that does not exist` })
      return
    }
  }
}
