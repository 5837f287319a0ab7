import { pathNamesOf } from '../../../core/index.js'
import { checkCounted, checkOverdrawn, checkSingles, sendTogether, type Counter } from './counter-checks.js'
import { isCompleted, isAdmitted, type KnownRecord } from './collections.js'
import { collectionsOf, createIn, memberRequest, ownMember, readMember, recordOf, segmentsBelow,
  type Collection } from './members.js'
import { againText, changedAgain } from './repeated-puts.js'
import { reporter, type Run } from './run.js'
import { withArgument } from './url-cases.js'
import { referredTo } from './values.js'
import { variantFields } from './written.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks that requests at the same time have the effect that they have one after another. */
export async function checkRaces(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    if (run.isOver()) return
    await checkCreations(collection)
    const change = ownMember(collection, 'PATCH')
    if (change !== undefined) await checkChanges(collection, change)
    for (const action of actionsOf(collection)) await checkAction(collection, action)
  }
  await checkSingles(run)
}

function isConflict({ status }: Observed): boolean {
  return status >= 400 && status < 500 && status !== 429
}

/** Creates a record that may exist once, twice at the same time. */
async function checkCreations({ run, create, caller }: Collection): Promise<void> {
  const make = await run.known.maker(create, caller)
  // Both loops take from it: what the first has created exists in the second.
  const fields = [{}, {}, ...await otherReferences(run, create, caller)][Symbol.iterator]()
  if (await isUnique(run, make, fields)) {
    for (const one of fields) {
      const request = make(one)
      const replies = await sendTogether(run, [request, request])
      // One for this reference may not be the only one: of an amount, a part may be left.
      const isOnly = replies.every(isCompleted) && isConflict(await run.send(request))
      if (isOnly) await report(run, create, request, BOTH)
      if (replies.some(isCompleted)) break
    }
  }
  run.known.forget()
}

/** Creates a record twice: true if the second is refused. One that exists already tells nothing. */
async function isUnique(
  run: Run,
  make: (fields: KnownRecord) => CheckRequest,
  fields: Iterable<KnownRecord>,
): Promise<boolean> {
  for (const one of fields) {
    const request = make(one)
    const isFirstDone = isCompleted(await run.send(request))
    const isSecondRefused = isConflict(await run.send(request))
    if (isFirstDone || !isSecondRefused) return isFirstDone && isSecondRefused
  }
  return false
}

/** References that are tried where the first one is taken. */
const MOST_REFERENCES = 6

/** Returns references to other records than the first of a list: one may exist once for each. */
async function otherReferences(run: Run, create: Target, caller: string): Promise<readonly KnownRecord[]> {
  const found: KnownRecord[] = []
  for (const name of run.fieldsOf(create).keys()) {
    const word = referredTo(name)
    const list = word === undefined ? undefined : run.known.listOf(word)
    const records = list === undefined ? [] : await run.known.records(list.path, caller)
    found.push(...records.slice(1, MOST_REFERENCES + 1).map(({ id }) => ({ [name]: id })))
  }
  return found
}

const BOTH = 'Of two requests that exclude each other, both are accepted at the same time'

type Change = readonly [name: string, value: unknown]

/** Changes two fields of a record, each by a request of its own, one after another and at the same time. */
async function checkChanges(collection: Collection, target: Target): Promise<void> {
  const { run, caller } = collection
  const created = await createIn(collection)
  if (created === undefined) return
  const plain = await memberRequest(run, target, caller, created.id)
  const requestFor = (change: Change): CheckRequest => ({ ...plain, body: { json: Object.fromEntries([change]) } })
  const kept = await keptNames(collection, target, created.id, requestFor)
  const changes = changesFor(run, target, 1).filter(([name]) => kept.includes(name))
  if (kept.length < 2 || changes.length < 2) return
  const before = await readState(collection, created.id)
  const replies = await sendTogether(run, changes.map(requestFor))
  const after = await readState(collection, created.id)
  const lost = changes.find(([name, value]) =>
    after[name] !== undefined && before[name] !== value && after[name] === before[name]
  )
  if (lost === undefined || !replies.every(isCompleted)) return
  await report(run, target, requestFor(lost),
    `A change of \`${lost[0]}\` is lost if another field is changed at the same time`)
}

/** Returns changes of one field each. */
function changesFor(run: Run, target: Target, round: number): Change[] {
  return Object.entries(variantFields(run, target, round)).filter(([, value]) => typeof value !== 'object')
}

/** Makes changes one after another and returns the names of two fields at most that have kept their values. */
async function keptNames(collection: Collection, target: Target, id: unknown,
  requestFor: (change: Change) => CheckRequest): Promise<readonly string[]>
{
  const { run } = collection
  const accepted: Change[] = []
  for (const change of changesFor(run, target, 0).slice(0, 5)) {
    if (isCompleted(await run.send(requestFor(change)))) accepted.push(change)
  }
  const record = await readState(collection, id)
  return accepted.filter(([name, value]) => record[name] === value).map(([name]) => name).slice(0, 2)
}

/** Returns the routes for one record that do more than read, write or delete it. */
function actionsOf({ run, path, caller }: Collection): Target[] {
  return run.targets.filter((target) => {
    const rest = segmentsBelow(target, path)
    return ['POST', 'PUT', 'PATCH'].includes(target.method) && rest.length === 1 && rest[0]?.startsWith(':') === false
      && isAdmitted(target.access[caller])
  })
}

/** Calls an action of a record that may happen once, twice at the same time; one that counts, several times. */
async function checkAction(collection: Collection, target: Target): Promise<void> {
  const { run } = collection
  if (run.isOver() || run.isKnown(target, 'state')) return
  const counter = await counterFor(collection, target)
  if (counter === undefined) return
  const { request, read } = counter
  const states = [await read()]
  const call = async (about: string): Promise<Observed> => {
    const observed = await run.probe(target, { request, about })
    states.push(await read())
    return observed
  }
  const first = await call('an action')
  const second = await call('an action again')
  if (!isCompleted(first)) return
  if (isConflict(second)) await checkOnce(collection, target)
  else if (isCompleted(second)) await checkRepeated(counter, states)
  await checkOverdrawn(counter)
}

/** Compares the states after two calls of an action one after another. */
async function checkRepeated(counter: Counter, states: readonly KnownRecord[]): Promise<void> {
  const { run, target, request } = counter
  const again = target.method === 'PUT' ? changedAgain(states[1] ?? {}, states[2] ?? {}) : undefined
  if (again === undefined) return checkCounted(counter, states)
  await run.record(target, { request, about: 'an action again' }, { kind: 'state', message: againText(again) })
}

/** Makes a request to the action of a new record. */
async function counterFor(collection: Collection, target: Target): Promise<Counter | undefined> {
  const { run, caller } = collection
  const created = await createIn(collection)
  if (created === undefined) return undefined
  const plain = await run.valid(target, caller)
  const [name = ''] = pathNamesOf(target.path).slice(-1)
  const path = withArgument(target, plain.path, name, encodeURIComponent(String(created.id)))
  return { run, target, request: { ...plain, path }, read: () => readState(collection, created.id) }
}

async function readState(collection: Collection, id: unknown): Promise<KnownRecord> {
  return recordOf(await readMember(collection, id)) ?? {}
}

async function checkOnce(collection: Collection, target: Target): Promise<void> {
  const { run } = collection
  const request = (await counterFor(collection, target))?.request
  if (request === undefined) return
  const replies = await sendTogether(run, [request, request])
  if (replies.every(isCompleted)) await report(run, target, request, BOTH)
}

const report = reporter('state', 'requests at the same time')
