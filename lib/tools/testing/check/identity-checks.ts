import { isAdmitted } from './collections.js'
import { collectionsOf, createIn, memberOf, memberRequest, readMember, recordOf, type Collection,
  type Created } from './members.js'
import { steadyText } from './read-changes.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import { jsonOf } from './written.js'
import type { CheckKind, CheckRequest, Target } from './model.js'

/**
 * Checks that each record has an id of its own, and that a request reaches the record that its path names. It makes
 * several records: other checks need lists that fit one page.
 */
export async function checkIdentities(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    if (run.isOver()) return
    const [one, other] = [await createIn(collection), await createIn(collection)]
    if (one === undefined || other === undefined) continue
    if (one.id === other.id) await reportSameId(collection, other.request)
    else {
      for (const method of ['PATCH', 'PUT']) await checkIdOfBody(collection, method, one, other)
      await checkTogether(collection)
      await checkReused(collection, one)
    }
  }
}

async function reportSameId(collection: Collection, request: CheckRequest): Promise<void> {
  await report(collection.run, collection.create, request, 'The record has the id of another one')
}

/** Changes one record by a body that has the id of another. */
async function checkIdOfBody(collection: Collection, method: string, one: Created, other: Created): Promise<void> {
  const { run, caller, path } = collection
  const target = memberOf(run, path, method)
  const plan = target === undefined ? undefined : bodyPlanOf(target, run.resolve)
  if (target === undefined || !isAdmitted(target.access[caller]) || plan?.fields.has('id') !== false) return
  const made = await memberRequest(run, target, caller, one.id)
  const sent = jsonOf(made)
  const names = Object.keys(sent)
  const before = await contentOf(collection, other, names)
  const request = { ...made, body: { json: { ...sent, id: other.id } } }
  await run.send(request)
  run.known.forget()
  if (before === undefined || await contentOf(collection, other, names) === before) return
  await report(run, target, request, 'The record that the `id` of the body names is changed, not that of the path')
}

/** Reads a record without the fields that the read itself may change, unless they are among these names. */
async function contentOf(collection: Collection, { id }: Created,
  names: readonly string[]): Promise<string | undefined>
{
  const record = recordOf(await readMember(collection, id))
  return record && steadyText(record, names)
}

/** Creates two records at the same time. */
async function checkTogether(collection: Collection): Promise<void> {
  const { run, create } = collection
  for (let round = 0; round < 2; round++) {
    const [one, other] = await Promise.all([createIn(collection), createIn(collection)])
    if (one === undefined || other === undefined || one.id !== other.id) continue
    await report(run, create, other.request, 'Two records that are created at the same time have one id', 'state')
    return
  }
}

/** Creates a record after a deletion: its id may be that of the deleted one, but of no other. */
async function checkReused(collection: Collection, one: Created): Promise<void> {
  const { run, caller, path } = collection
  const remove = memberOf(run, path, 'DELETE')
  if (remove === undefined || !isAdmitted(remove.access[caller])) return
  const last = await createIn(collection)
  const { status } = await run.send(await memberRequest(run, remove, caller, one.id))
  run.known.forget()
  if (last === undefined || status >= 300 || (await readMember(collection, last.id)).status !== 200) return
  for (let count = 0; count < 3; count++) {
    const created = await createIn(collection)
    if (created === undefined || created.id !== last.id) continue
    await reportSameId(collection, created.request)
    return
  }
}

async function report(run: Run, target: Target, request: CheckRequest, message: string,
  kind: CheckKind = 'data'): Promise<void>
{
  await run.record(target, { request, about: 'the id' }, { kind, message })
}
