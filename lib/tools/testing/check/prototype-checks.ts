import { recordOf } from './members.js'
import type { Run } from './run.js'
import { variantFields } from './written.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that fields inside of `__proto__` change nothing: objects that share a prototype would all have them. */
export async function checkPrototypes(run: Run): Promise<void> {
  for (const target of run.targets.filter(({ method }) => method === 'PATCH' || method === 'PUT')) {
    if (bodyPlanOf(target, run.resolve)?.isForm !== false) continue
    // What a caller has set hides what is inherited.
    for (const caller of run.left(run.admitted(target, run.known.listAt(target.path)).slice(-3))) {
      if (run.isKnown(target, 'state')) break
      await checkTarget(run, target, caller)
    }
  }
}

async function checkTarget(run: Run, target: Target, caller: string): Promise<void> {
  const made = await run.valid(target, caller)
  const read: CheckRequest = { ...made, method: 'GET', body: undefined }
  // A change alone may change what is read: a reply was kept, and is that of now.
  await run.send({ ...made, body: { json: {} } })
  const before = recordOf(await run.send(read))
  for (let round = 0; round < 2 && before !== undefined; round++) {
    const fields = Object.entries(variantFields(run, target, round)).filter(([name, value]) => before[name] !== value)
    const inside = Object.fromEntries(fields)
    const json = JSON.stringify(inside)
    for (const text of [`{"__proto__":${json}}`, `{"constructor":{"prototype":${json}}}`]) {
      const request: CheckRequest = { ...made, body: { text, type: 'application/json' } }
      await run.send(request)
      const after = recordOf(await run.send(read))
      run.known.forget()
      const name = Object.keys(inside).find((one) => after?.[one] !== before[one] && after?.[one] === inside[one])
      if (name === undefined) continue
      return run.record(target, { request, about: 'names of prototypes' }, { kind: 'state',
        message: `\`${name}\` is changed by a field inside of \`__proto__\`` })
    }
  }
}
