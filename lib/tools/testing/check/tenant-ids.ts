import { pathNamesOf } from '../../../core/index.js'
import { recordsIn, wordOf } from './collections.js'
import type { Run } from './run.js'
import { isDivided, missingLike, report, type Pair } from './tenant-pair.js'
import { jsonOf } from './written.js'
import type { CheckRequest, Target } from './model.js'

/** Returns an id of the same type that no record has. */
export function absentLike(id: unknown): unknown {
  const missing = missingLike(wordOf(id))
  return typeof id === 'number' ? Number(missing) : missing
}

/** Names records of another tenant in parameters and fields that take ids. */
export async function checkIds(pair: Pair, target: Target): Promise<void> {
  const { run, one, other } = pair
  const place = idsPlace(run, target)
  const collection = pathNamesOf(target.path).length > 0 ? undefined : collectionNear(run, target)
  if (place === undefined || collection === undefined || !await isDivided(pair, collection)) return
  const before = await run.known.ownRecords(collection, other)
  const foreign = before.at(-1)?.id
  const make = await run.known.maker(target, one)
  const { status } = await run.send(requestWith(make(), place, absentLike(foreign)))
  const request = requestWith(make(), place, foreign)
  const observed = await run.send(request)
  const isChanged = JSON.stringify(await run.known.ownRecords(collection, other)) !== JSON.stringify(before)
  if (isChanged || (target.method === 'GET' && recordsIn(observed).some(({ id }) => id === foreign))) {
    await report(run, target, request, 'The caller reaches a record of another tenant by `ids`')
  } else if (status !== observed.status) {
    await report(run, target, request, 'The reply tells that a record of another tenant exists, by `ids`')
  }
  run.known.forget()
}

/** Returns the list at the path of a route or, for an action such as `/papers/move`, above it. */
function collectionNear(run: Run, { path }: Target): string | undefined {
  return (run.known.listAt(path) ?? run.known.listAt(path.slice(0, path.lastIndexOf('/'))))?.path
}

type IdsPlace = 'query' | 'ids' | 'id'

function idsPlace(run: Run, target: Target): IdsPlace | undefined {
  const { method, operation } = target
  const isInQuery = operation?.parameters?.some(({ name }) => name === 'ids') === true
  if (isInQuery && (method === 'GET' || method === 'DELETE')) return 'query'
  return (['ids', 'id'] as const).find((name) => run.fieldsOf(target).has(name))
}

function requestWith(request: CheckRequest, place: IdsPlace, id: unknown): CheckRequest {
  const headers = request.method === 'GET' ? request.headers : { ...request.headers, 'if-match': '*' }
  if (place !== 'query') {
    return { ...request, headers, body: { json: { ...jsonOf(request), [place]: place === 'ids' ? [id] : id } } }
  }
  const others = request.query.filter(([name]) => name !== 'ids')
  return { ...request, headers, body: undefined, query: [...others, ['ids', wordOf(id)] as const] }
}
