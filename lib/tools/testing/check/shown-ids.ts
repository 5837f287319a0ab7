import { isCompleted, wordOf } from './collections.js'
import { listAll, memberOf, memberRequest, recordOf } from './members.js'
import { reporter, type Run } from './run.js'
import { missingLike } from './tenant-pair.js'
import type { Target } from './model.js'

/** Checks that the records of lists are shown by their ids, and by no other spellings of these. */
export async function checkShownIds(run: Run): Promise<void> {
  for (const list of run.left(run.targets.filter(({ method }) => method === 'GET'))) {
    const { path } = list
    const show = memberOf(run, path, 'GET')
    const [caller] = run.admitted(list, show)
    if (show === undefined || caller === undefined) continue
    const ids = (await listAll({ run, path, caller, list }))?.map(({ id }) => id) ?? []
    for (const id of ids.slice(0, 3)) await checkShown(run, show, caller, id)
    await checkSpelled(run, show, caller, ids.at(-1))
  }
}

/** Names records that do not exist: they can neither be read nor changed. */
export async function checkMissingIds(run: Run): Promise<void> {
  for (const target of run.left(run.targets.filter(refusesMissing))) {
    const list = run.known.listAt(target.path.replace(/\/:[^/]+$/, ''))
    const [caller] = run.admitted(target, list)
    if (list === undefined || list.path === target.path || caller === undefined) continue
    const records = await run.known.ownRecords(list.path, caller, await run.known.valuesFor(list, caller))
    const id = records.at(-1)?.id
    if (id === undefined) continue
    const request = await memberRequest(run, target, caller, missingLike(wordOf(id)))
    const observed = await run.send(request)
    if (!isCompleted(observed)) continue
    await run.record(target, { request, about: 'an id of no record' }, { kind: 'data',
      message: `A record that does not exist is answered with ${observed.status}` })
  }
}

/** A deletion may be meant to succeed for what is deleted already; one whose document has a 404 is not. */
function refusesMissing({ method, operation }: Target): boolean {
  return method === 'DELETE' ? operation?.responses['404'] !== undefined : method === 'GET' || method === 'PATCH'
}

/** Reads a record of the list by its id. */
async function checkShown(run: Run, show: Target, caller: string, id: unknown): Promise<void> {
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
async function checkSpelled(run: Run, show: Target, caller: string, id: unknown): Promise<void> {
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

const report = reporter('data', 'the id')
