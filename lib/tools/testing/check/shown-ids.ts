import { isAdmitted, wordOf } from './collections.js'
import { listAll, memberOf, memberRequest, recordOf } from './members.js'
import type { Run } from './run.js'
import { missingLike } from './tenant-pair.js'
import type { CheckRequest, Target } from './model.js'

/** A route that shows one record, and a caller who can list and read it. */
interface Shown {
  readonly run: Run
  readonly caller: string
  readonly show: Target
}

/** Checks that the records of lists are shown by their ids, and by no other spellings of these. */
export async function checkShownIds(run: Run): Promise<void> {
  for (const list of run.targets.filter(({ method }) => method === 'GET')) {
    if (run.isOver()) return
    const { path } = list
    const show = memberOf(run, path, 'GET')
    const caller = [...run.sender.callers.keys()].find((name) =>
      isAdmitted(list.access[name]) && isAdmitted(show?.access[name])
    )
    if (show === undefined || caller === undefined) continue
    const ids = (await listAll({ run, path, caller, list }))?.map(({ id }) => id) ?? []
    for (const id of ids.slice(0, 3)) await checkShown({ run, caller, show }, id)
    await checkSpelled({ run, caller, show }, ids.at(-1))
  }
}

/** Names records that do not exist: they can neither be read nor changed. */
export async function checkMissingIds(run: Run): Promise<void> {
  for (const target of run.targets.filter(({ method }) => ['GET', 'PATCH', 'DELETE'].includes(method))) {
    if (run.isOver()) return
    const list = run.known.listAt(target.path.replace(/\/:[^/]+$/, ''))
    const caller = [...run.sender.callers.keys()].find((name) =>
      isAdmitted(target.access[name]) && isAdmitted(list?.access[name])
    )
    // A deletion may be meant to succeed for what is deleted already; one whose document has a 404 is not.
    const isMeant = target.method === 'DELETE' && target.operation?.responses['404'] === undefined
    if (list === undefined || list.path === target.path || caller === undefined || isMeant) continue
    await checkMissing({ run, caller, target, list })
  }
}

async function checkMissing({ run, caller, target, list }:
  & Pick<Shown, 'run' | 'caller'>
  & Readonly<Record<'target' | 'list', Target>>): Promise<void>
{
  const records = await run.known.ownRecords(list.path, caller, await run.known.valuesFor(list, caller))
  const id = records.at(-1)?.id
  if (id === undefined) return
  const request = await memberRequest(run, target, caller, missingLike(wordOf(id)))
  const { status } = await run.send(request)
  if (status < 200 || status >= 300 || status === 202) return
  await run.record(target, { request, about: 'an id of no record' }, { kind: 'data',
    message: `A record that does not exist is answered with ${status}` })
}

/** Reads a record of the list by its id. */
async function checkShown({ run, caller, show }: Shown, id: unknown): Promise<void> {
  if (id === undefined || run.isKnown(show, 'data')) return
  const request = await memberRequest(run, show, caller, id)
  const shown = recordOf(await run.send(request))
  if (shown?.id === undefined || wordOf(shown.id) === wordOf(id)) return
  await report(run, show, request, `The record ${wordOf(shown.id)} is shown for the id ${wordOf(id)}`)
}

/** Spellings of a whole number that is none; the first is none anywhere. */
const SPELLINGS: readonly ((id: number) => string)[] = [(id) => `${id}zq`, (id) => `${id}e0`, (id) => ` ${id}`,
  (id) => `${id}.0`, (id) => `+${id}`, (id) => `0x${id.toString(16)}`]

/** Reads a record by other spellings of its id; those of numbers where the document says that it is one. */
async function checkSpelled({ run, caller, show }: Shown, id: unknown): Promise<void> {
  if (typeof id !== 'number') return
  for (const spelled of hasWholeId(show, run) ? SPELLINGS : SPELLINGS.slice(0, 1)) {
    const request = await memberRequest(run, show, caller, spelled(id))
    if ((await run.send(request)).status !== 200) continue
    await report(run, show, request, `\`${spelled(id)}\` is taken for the id ${id}`)
    return
  }
}

function hasWholeId(show: Target, run: Run): boolean {
  const parameters = show.operation?.parameters ?? []
  return parameters.some(({ in: place, name, schema }) =>
    place === 'path' && show.path.endsWith(`:${name}`) && run.resolve(schema).type === 'integer'
  )
}

async function report(run: Run, target: Target, request: CheckRequest, message: string): Promise<void> {
  await run.record(target, { request, about: 'the id' }, { kind: 'data', message })
}
