import { accepts } from '../../openapi/examples.js'
import { isAccepted } from './collections.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import type { Target } from './model.js'

/** Characters of a string that no field of a form on a screen has. */
const HUGE = 3_000_000

/** Sends a huge string in fields whose document has no greatest length: something has to bound it. */
export async function checkSizes(run: Run): Promise<void> {
  for (const target of run.left()) {
    if (run.isKnown(target, 'field') || run.isKnown(target, 'time')) continue
    const [caller] = run.admitted(target)
    const name = unboundedName(run, target)
    if (caller === undefined || name === undefined) continue
    const request = await run.valid(target, caller, { [name]: 'x'.repeat(HUGE) })
    if (!isAccepted(await run.send(request))) continue
    run.known.forget()
    await run.record(target, { request, about: `the field \`${name}\`` }, { kind: 'field',
      message: `\`${name}\` takes a string of ${HUGE / 1e6} million characters` })
  }
}

/** Returns the first field of a JSON body that is a string of any length. */
function unboundedName(run: Run, target: Target): string | undefined {
  const plan = bodyPlanOf(target, run.resolve)
  if (plan === undefined || plan.isForm) return undefined
  return [...plan.fields].find(([, { schema }]) => {
    const json = run.resolve(schema)
    return json.type === 'string' && json.maxLength === undefined && accepts(json, 'x'.repeat(5_000))
  })?.[0]
}
