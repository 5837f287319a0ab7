import { sendChange, takes } from './checking.js'
import { isAccepted, isAdmitted } from './collections.js'
import { collectionsOf, createIn, isMember, memberOf, memberRequest, readMember, segmentsBelow,
  type Collection } from './members.js'
import type { Run } from './run.js'
import { SPELLINGS } from './spellings.js'
import type { CheckRequest, Target } from './model.js'

/** Checks ways around a refusal: spellings, headers, parameters, another method, a route without permission. */
export async function checkBypasses(run: Run): Promise<void> {
  for (const target of run.targets) {
    for (const caller of run.left(run.sender.callers.keys())) {
      if (!run.isKnown(target, 'access')) await checkRefusal(run, target, caller)
    }
  }
  for (const collection of run.left(collectionsOf(run))) {
    await checkOverride(collection)
    for (const method of ['PATCH', 'PUT', 'DELETE']) await checkOpen(collection, method)
  }
}

/** Headers by which programs tend to recognise a caller. */
const TRUSTED: Readonly<Record<string, string>> = {
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'x-user-id': '1',
  'x-user': 'admin',
  'x-role': 'admin',
  'x-user-role': 'admin',
  'x-admin': 'true',
  'x-internal': 'true',
  'x-api-key': 'test',
  cookie: 'role=admin; admin=true; isAdmin=true; user=admin; userId=1',
}

/** Parameters by which programs tend to open a route. */
const OPENING = ['admin', 'debug', 'internal', 'isAdmin', 'test', 'preview', 'force'].map((name) =>
  [name, 'true'] as const
)

/** Sends a refused request in other ways: all of them have to be refused too. */
async function checkRefusal(run: Run, target: Target, caller: string): Promise<void> {
  const request = await run.valid(target, caller)
  const { status } = await run.send(request)
  if (target.method !== 'GET' && status < 300) run.known.forget()
  if (!await isRefused(run, target, request, status)) return
  const isByGuard = typeof target.access[caller] === 'number'
  for (const [about, changed] of waysAround(request, isByGuard)) {
    const observed = await run.send(changed)
    if (!isAccepted(observed)) continue
    if ((await run.send(request)).status !== status) return
    return run.record(target, { request: changed, about }, { kind: 'access',
      message: `The reply is ${observed.status} where it is ${status} otherwise` })
  }
}

/** Returns true for a refusal, and for a 404 of what another caller reads. */
async function isRefused(run: Run, target: Target, request: CheckRequest, status: number): Promise<boolean> {
  if (status === 401 || status === 403) return true
  if (status !== 404 || target.method !== 'GET' || !isAdmitted(target.access[request.caller])) return false
  const others = run.admitted(target).filter((name) => name !== request.caller)
  for (const caller of others) if ((await run.send({ ...request, caller })).status === 200) return true
  return false
}

/**
 * The spellings of a route with a guard are tried with all other requests; of a deletion they are tried here, while
 * there is something to delete.
 */
function* waysAround(request: CheckRequest,
  isByGuard: boolean): Generator<readonly [about: string, changed: CheckRequest]>
{
  yield ['headers', { ...request, headers: { ...TRUSTED, ...request.headers } }]
  yield ['parameters', { ...request, query: [...request.query, ...OPENING] }]
  yield ['parameters', { ...request, query: [...request.query, ['role', 'admin'], ['userId', '1'], ['key', 'test']] }]
  if (request.method === 'GET') yield ['HEAD', { ...request, method: 'HEAD' }]
  if (isByGuard && request.method !== 'DELETE') return
  for (const [about, change] of SPELLINGS) {
    const path = change(request.path)
    if (path !== request.path) yield [about, { ...request, path }]
  }
}

/** Asks another method to be taken for DELETE, where the caller may not delete. */
async function checkOverride(collection: Collection): Promise<void> {
  const { run, path } = collection
  const remove = memberOf(run, path, 'DELETE')
  if (remove === undefined) return
  // Actions such as `POST /posts/:id/report` are among them.
  const others = run.targets.filter((target) =>
    (target.method !== 'DELETE' && isMember(target, path))
    || (target.method === 'POST' && segmentsBelow(target, path).length === 1)
  )
  for (const caller of run.sender.callers.keys()) {
    const open = typeof remove.access[caller] === 'number' ? others : []
    for (const other of open)
      if (isAdmitted(other.access[caller])) await overrideWith(collection, remove, other, caller)
  }
}

async function overrideWith(collection: Collection, remove: Target, other: Target, caller: string): Promise<void> {
  const { run } = collection
  const created = await createIn(collection)
  if (created === undefined || (await readMember(collection, created.id)).status !== 200) return
  const made = await memberRequest(run, other, caller, created.id)
  const request: CheckRequest = {
    ...made,
    query: [...made.query, ['_method', 'DELETE']],
    headers: { ...made.headers, 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE',
      'x-method-override': 'DELETE' },
  }
  await sendChange(run, request)
  if ((await readMember(collection, created.id)).status !== 404) return
  await run.record(remove, { request, about: 'another method' }, { kind: 'access',
    message: 'A request with another method deletes the record, though the caller may not' })
}

/**
 * Calls a write of one record that asks for no permission, where all others do, as a caller whom those refuse. Other
 * actions may be meant for everybody who has signed in.
 */
async function checkOpen(collection: Collection, method: string): Promise<void> {
  const { run, path } = collection
  const open = memberOf(run, path, method)
  if (open === undefined || open.entry?.permission !== undefined) return
  const others = run.targets.filter((target) =>
    target !== open && target.method !== 'GET' && isMember(target, path) && target.entry?.permission !== undefined
  )
  const caller = run.admitted(open).find((name) => others.every(({ access }) => typeof access[name] === 'number'))
  if (others.length === 0 || caller === undefined) return
  const created = await createIn(collection)
  if (created === undefined) return
  const request = await memberRequest(run, open, caller, created.id)
  if (!await takes(run, request)) return
  await run.record(open, { request, about: 'a route without permission' }, { kind: 'access',
    message: 'The route asks for no permission, and serves a caller whom the other writes of the resource refuse' })
}
