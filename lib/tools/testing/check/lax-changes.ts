import type { JsonSchema } from '../../openapi/types.js'
import { isAdmitted } from './collections.js'
import { collectionsOf, createIn, memberOf, memberRequest, type Collection } from './members.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** Changes records by values that the schema of a creation refuses by its bounds. */
export async function checkLaxChanges(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    const change = memberOf(run, collection.path, 'PATCH')
    if (run.isOver() || change === undefined || !isAdmitted(change.access[collection.caller])) continue
    const created = await createIn(collection)
    if (created !== undefined) await checkFields(collection, change, created.id)
  }
}

async function checkFields(collection: Collection, change: Target, id: unknown): Promise<void> {
  const { run, caller, create } = collection
  const changed = bodyPlanOf(change, run.resolve)?.fields
  for (const [name, { schema }] of bodyPlanOf(create, run.resolve)?.fields ?? []) {
    if (changed?.has(name) !== true) continue
    for (const value of outside(run.resolve(schema))) {
      const made = await memberRequest(run, change, caller, id)
      const request: CheckRequest = { ...made, body: { json: { [name]: value } } }
      if ((await run.send(request)).status >= 300) continue
      const refused = await run.send((await run.known.maker(create, caller))({ [name]: value }))
      if (refused.status !== 422) continue
      await run.record(change, { request, about: `the field \`${name}\`` }, { kind: 'field',
        message: `\`${name}\` takes a value that a creation refuses` })
      return
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
