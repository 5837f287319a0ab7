import { inAnyState } from './checking.js'
import { isAccepted, isAdmitted, recordsIn, wordOf, type KnownRecord } from './collections.js'
import { collectionsOf, createIn, isMember, memberRequest, readMember, recordOf } from './members.js'
import { steadyText } from './read-changes.js'
import { reporter, type Run } from './run.js'
import { againText, changedAgain } from './repeated-puts.js'
import { isReset, VARIANTS } from './round-values.js'
import { VERSION } from './stale-checks.js'
import { bodyPlanOf } from './values.js'
import { differentName, isScalar, jsonOf, short, variantFields } from './written.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks that what is changed is what is read: partial and whole changes, of a record or of what is there once. */
export async function checkChanges(run: Run): Promise<void> {
  for (const target of run.left(run.targets.filter(({ method }) => method === 'PATCH' || method === 'PUT'))) {
    const subject = bodyPlanOf(target, run.resolve)?.isForm === false ? await subjectOf(run, target) : undefined
    // A record that is shown wrongly tells nothing of how it was written.
    const isShown = subject?.show === undefined
      || !(run.isKnown(subject.show, 'document') || run.isKnown(subject.show, 'data'))
    if (subject !== undefined && isShown) await checkFields(subject)
  }
}

/** The record that a route changes, and the route that reads it. */
interface Subject {
  readonly run: Run
  readonly target: Target
  readonly show: Target | undefined
  /** Makes a valid change, to which a check adds fields. */
  readonly make: () => Promise<CheckRequest>
  readonly read: () => Promise<Observed>
}

/** Returns a new record for a route to change, or else one that is there already. */
async function subjectOf(run: Run, target: Target): Promise<Subject | undefined> {
  const collection = collectionsOf(run).find(({ path, caller }) =>
    isMember(target, path) && isAdmitted(target.access[caller])
  )
  const created = collection === undefined ? undefined : await createIn(collection)
  if (collection === undefined || created === undefined) return existingSubject(run, target)
  const { caller, show } = collection
  return { run, target, show, make: () => memberRequest(run, target, caller, created.id),
    read: () => readMember(collection, created.id) }
}

async function existingSubject(run: Run, target: Target): Promise<Subject | undefined> {
  const { known } = run
  const collection = target.path.slice(0, target.path.lastIndexOf('/'))
  const show = known.listAt(target.path)
  const list = target.path.slice(collection.length).startsWith('/:') ? known.listAt(collection) : undefined
  const caller = run.admitted(target, show ?? list)[0]
  if (caller === undefined) return undefined
  const { path } = (await known.maker(target, caller))()
  const id = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  const read = async (): Promise<Observed> => {
    const place = show === undefined ? path.slice(0, path.lastIndexOf('/')) : path
    const observed = await run.send({ caller, method: 'GET', path: place, query: [], headers: {}, body: undefined })
    return show === undefined
      ? { ...observed, headers: {}, json: { data: recordsIn(observed).find((record) => wordOf(record.id) === id) } }
      : observed
  }
  if (recordOf(await read()) === undefined) return undefined
  const make = async (): Promise<CheckRequest> => inAnyState({ ...(await known.maker(target, caller))(), path })
  return { run, target, show, make, read }
}

/** Changes a record field by field; with PUT all fields at once. */
async function checkFields(subject: Subject): Promise<void> {
  const { run, target } = subject
  for (let round = 0; round < VARIANTS; round++) {
    const fields = variantFields(run, target, round)
    const bodies = target.method === 'PUT'
      ? [fields]
      : Object.entries(fields).map(([name, value]) => ({ [name]: value }))
    for (const body of bodies)
      if (!run.isOver() && !run.isKnown(target, 'data')) await checkChange(subject, body)
  }
}

async function checkChange(subject: Subject, fields: KnownRecord): Promise<void> {
  const { run, target, make, read } = subject
  const first = await read()
  const before = recordOf(first)
  const sent = await sendFields(run, target, await make(), { ...fields, ...versionsIn(run, target, before ?? {}) })
  run.known.forget()
  const second = await read()
  const after = recordOf(second)
  if (sent === undefined || before === undefined || after === undefined) return
  await compareChanged(subject, sent.request, { before, after, replied: recordOf(sent.observed) ?? {} })
  await checkTags(subject, Object.keys(jsonOf(sent.request)), [first, second])
  if (target.method === 'PUT') await checkAgain(subject, sent.request, after)
}

/** Returns the fields of a PUT by which it names the state that it has read. */
function versionsIn(run: Run, target: Target, record: KnownRecord): KnownRecord {
  const fields = target.method === 'PUT' ? [...run.fieldsOf(target)] : []
  return Object.fromEntries(fields.filter(([name]) => VERSION.test(name) && record[name] !== undefined)
    .map(([name]) => [name, record[name]]))
}

/** Sends a PUT again: the second time it changes nothing (RFC 9110 §9.2.2). */
async function checkAgain({ run, target, read }: Subject, request: CheckRequest, before: KnownRecord): Promise<void> {
  if (!isAccepted(await run.send(request))) return
  const name = changedAgain(before, recordOf(await read()) ?? before)
  if (name !== undefined) await report(run, target, request, againText(name))
}

/** Compares a changed record with what was sent, and its other fields with what they were. */
async function compareChanged({ run, target }: Subject, request: CheckRequest,
  { before, after, replied }: Record<'before' | 'after' | 'replied', KnownRecord>): Promise<void>
{
  const versions = Object.keys(versionsIn(run, target, before))
  const json = Object.fromEntries(Object.entries(jsonOf(request)).filter(([name]) => !versions.includes(name)))
  const name = differentName(run, target, json, after)
  const stale = Object.keys(json).find((one) =>
    name === undefined && isScalar(replied[one]) && isScalar(after[one])
    && replied[one] !== after[one] && replied[one] === before[one]
  )
  const [reset] =
    [...run.fieldsOf(target)].find(([one]) =>
      target.method === 'PATCH' && !Object.hasOwn(json, one) && isReset(before[one], after[one])
    ) ?? []
  const faults = [
    name !== undefined && `\`${name}\` was sent as ${short(json[name])} and is read as ${short(after[name])}`,
    stale !== undefined && `The reply has \`${stale}\` as it was before, ${short(replied[stale])}, and not as it is: `
      + short(after[stale]),
    reset !== undefined && `\`${reset}\` was not sent, but ${short(before[reset])} became ${short(after[reset])}`,
  ]
  for (const fault of faults) if (fault !== false) await report(run, target, request, fault)
}

/** Compares the tags of two states of a record. */
async function checkTags({ run, show, make }: Subject, names: readonly string[],
  states: readonly [Observed, Observed]): Promise<void>
{
  const [tag, newTag] = states.map(({ headers }) => headers.etag?.[0])
  const [before, after] = states.map((state) => steadyText(recordOf(state) ?? {}, names))
  if (show === undefined || tag === undefined || tag !== newTag || before === after) return
  const request: CheckRequest = { ...await make(), method: 'GET', headers: {}, body: undefined }
  await run.record(show, { request, about: 'a changed record' }, { kind: 'state',
    message: 'Two states of the record have the same `ETag`' })
}

/** Sends fields alone if the method is PATCH, and with all others otherwise or if they are refused alone. */
async function sendFields(run: Run, target: Target, made: CheckRequest,
  fields: KnownRecord): Promise<{ readonly request: CheckRequest; readonly observed: Observed } | undefined>
{
  const whole = { ...jsonOf(made), ...fields }
  for (const json of target.method === 'PUT' ? [whole] : [fields, whole]) {
    const request: CheckRequest = { ...made, body: { json } }
    const observed = await run.probe(target, { request, about: 'a valid change' })
    if (isAccepted(observed)) return observed.status === 202 ? undefined : { request, observed }
  }
  return undefined
}

const report = reporter('data', 'what is read after it')
