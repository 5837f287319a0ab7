import { sendChange } from './checking.js'
import { collectionsOf, createIn, memberRequest, ownMember, readMember, recordOf, type Collection,
  type Created } from './members.js'
import { steadyText } from './read-changes.js'
import { reporter, type Run } from './run.js'
import { bodyPlanOf } from './values.js'
import { jsonOf } from './written.js'

/**
 * Checks that each record has an id of its own, and that a request reaches the record that its path names. It makes
 * several records: other checks need lists that fit one page.
 */
export async function checkIdentities(run: Run): Promise<void> {
  for (const collection of run.left(collectionsOf(run))) {
    const [one, other] = [await createIn(collection), await createIn(collection)]
    if (one === undefined || other === undefined) continue
    if (one.id === other.id) await report(run, collection.create, other.request, SAME)
    else {
      for (const method of ['PATCH', 'PUT']) await checkIdOfBody(collection, method, one, other)
      await checkTogether(collection)
      await checkReused(collection, one)
    }
  }
}

const SAME = 'The record has the id of another one'
const report = reporter('data', 'the id')

/** Changes one record by a body that has the id of another. */
async function checkIdOfBody(collection: Collection, method: string, one: Created, other: Created): Promise<void> {
  const { run, caller } = collection
  const target = ownMember(collection, method)
  const plan = target === undefined ? undefined : bodyPlanOf(target, run.resolve)
  if (target === undefined || plan?.fields.has('id') !== false) return
  const made = await memberRequest(run, target, caller, one.id)
  const sent = jsonOf(made)
  const names = Object.keys(sent)
  const before = await contentOf(collection, other, names)
  const request = { ...made, body: { json: { ...sent, id: other.id } } }
  await sendChange(run, request)
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
    return run.record(create, { request: other.request, about: 'the id' }, { kind: 'state',
      message: 'Two records that are created at the same time have one id' })
  }
}

/** Creates a record after a deletion: its id may be that of the deleted one, but of no other. */
async function checkReused(collection: Collection, one: Created): Promise<void> {
  const { run, caller, create } = collection
  const remove = ownMember(collection, 'DELETE')
  if (remove === undefined) return
  const last = await createIn(collection)
  const { status } = await sendChange(run, await memberRequest(run, remove, caller, one.id))
  if (last === undefined || status >= 300 || (await readMember(collection, last.id)).status !== 200) return
  for (let count = 0; count < 3; count++) {
    const created = await createIn(collection)
    if (created !== undefined && created.id === last.id) return report(run, create, created.request, SAME)
  }
}
