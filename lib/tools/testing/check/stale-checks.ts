import { isAccepted } from './collections.js'
import { collectionsOf, createIn, memberRequest, ownMember, readMember, recordOf, type Collection } from './members.js'
import { reporter, type Run } from './run.js'
import { jsonOf, variantFields, withFields } from './written.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks that a change of a record that has changed since is refused, where an application promises that. */
export async function checkStaleChanges(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const target = ownMember(collection, method)
      if (run.isOver() || target === undefined) continue
      await checkTag(collection, target)
      if (method !== 'DELETE') await checkVersion(collection, target)
    }
  }
}

/** Names a state of the record that is none, or none any more. */
async function checkTag(collection: Collection, target: Target): Promise<void> {
  const { run, caller } = collection
  const created = await createIn(collection)
  if (created === undefined) return
  const plain = await memberRequest(run, target, caller, created.id)
  const tag = isConditional(target) ? '"zq7x-other"' : await oldTag(collection, target, created.id)
  if (tag === undefined) return
  const request: CheckRequest = { ...plain, headers: { ...plain.headers, 'if-match': tag } }
  const isMade = isAccepted(await run.send(request))
  run.known.forget()
  // RFC 9110 §13.1.1
  if (isMade)
    await report(run, target, request, 'A change is made although `If-Match` names another state of the record')
}

/** Returns true for a route whose document has the header, or its refusal. */
function isConditional({ operation, entry }: Target): boolean {
  const hasHeader = operation?.parameters?.some((one) => one.in === 'header' && /^if-match$/i.test(one.name)) === true
  return hasHeader || entry?.statuses.includes(412) === true
}

/** Changes a record, and returns the tag that it had before if the application makes tags that change with it. */
async function oldTag(collection: Collection, target: Target, id: unknown): Promise<string | undefined> {
  const { run, caller } = collection
  const tag = versionTagOf(await readMember(collection, id))
  if (tag === undefined || target.method === 'DELETE') return undefined
  const plain = await memberRequest(run, target, caller, id)
  await run.send(changed(run, target, plain, 0))
  const changedTag = versionTagOf(await readMember(collection, id))
  return changedTag === undefined || changedTag === tag ? undefined : tag
}

/** Returns a tag that an application has made: those of Express are weak and have a length. */
function versionTagOf({ headers }: Observed): string | undefined {
  const [tag = ''] = headers.etag ?? []
  return /^"[\w.:-]{1,40}"$/.test(tag) ? tag : undefined
}

/** Fields by which a client names the state that it has read. */
export const VERSION = /^(?:version|rev|revision|lock_?version|row_?version|updated_?at|modified_?at|etag)$/i

/** Makes two changes that both name the state before the first. */
async function checkVersion(collection: Collection, target: Target): Promise<void> {
  const { run, caller } = collection
  const name = [...run.fieldsOf(target).keys()].find((field) => VERSION.test(field))
  const created = name === undefined ? undefined : await createIn(collection)
  if (name === undefined || created === undefined) return
  const versionNow = async (): Promise<unknown> => recordOf(await readMember(collection, created.id))?.[name]
  const version = await versionNow()
  const plain = await memberRequest(run, target, caller, created.id)
  const requestOf = (round: number): CheckRequest => withFields(changed(run, target, plain, round), { [name]: version })
  const isFirstMade = isAccepted(await run.send(requestOf(0)))
  const isOld = version !== undefined && await versionNow() !== version
  const request = requestOf(1)
  const isSecondMade = isFirstMade && isOld && isAccepted(await run.send(request))
  run.known.forget()
  if (isSecondMade)
    await report(run, target, request, `A change is made although its \`${name}\` is that of an earlier state`)
}

/** Returns a request that changes one field, beside, of a PUT, all others. */
function changed(run: Run, target: Target, plain: CheckRequest, round: number): CheckRequest {
  const change = Object.entries(variantFields(run, target, round)).filter(([name]) => !VERSION.test(name)).slice(0, 1)
  const kept = target.method === 'PUT' ? jsonOf(plain) : {}
  return { ...plain, body: { json: { ...kept, ...Object.fromEntries(change) } } }
}

const report = reporter('state', 'a state of before')
