import { pathNamesOf } from '../../../core/index.js'
import { isAdmitted, type KnownRecord } from './known.js'
import type { Run } from './run.js'
import { LOGIN, PASSWORD } from './sign-in-checks.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Signs in, and checks that what a sign-out or a renewal has ended is accepted no more. */
export async function checkSessions(run: Run): Promise<void> {
  const [anonymous] = [...run.sender.callers].find(([, caller]) => caller === null) ?? []
  if (anonymous === undefined) return
  const signIns = run.targets.filter((target) => isSignIn(run, target, anonymous))
  const open = async (): Promise<Session | undefined> => {
    for (const target of signIns) {
      const request = (await run.known.maker(target, anonymous))()
      const session = sessionIn(await run.send(request))
      if (session !== undefined) return session
    }
    return undefined
  }
  for (const target of run.targets) {
    if (run.isOver()) return
    if (isSignOut(target)) await checkSignOut({ run, anonymous, open }, target)
    else if (isRenewal(run, target)) await checkRenewal({ run, anonymous, open }, target)
  }
}

/** The credentials of a sign-in. */
interface Session {
  /** The value of the `Authorization` header. */
  readonly authorization: string | undefined
  /** The token for another one, by the name of its field. */
  readonly refresh: Readonly<Record<string, string>>
  readonly cookie: string | undefined
}

interface Sessions {
  readonly run: Run
  readonly anonymous: string
  /** Signs in; `undefined` if the request is refused or gives no credentials. */
  readonly open: () => Promise<Session | undefined>
}

function isSignIn(run: Run, target: Target, anonymous: string): boolean {
  const names = [...bodyPlanOf(target, run.resolve)?.fields.keys() ?? []]
  return target.method === 'POST' && isAdmitted(target.access[anonymous])
    && names.some((name) => LOGIN.test(name)) && names.some((name) => PASSWORD.test(name))
    && /log-?in|sign-?in|session|token|auth/i.test(target.path)
}

function isSignOut({ method, path }: Target): boolean {
  const hasWord = /log-?out|sign-?out|revoke/i.test(path)
  return pathNamesOf(path).length === 0 && (method === 'POST' ? hasWord : method === 'DELETE'
    && (hasWord || /session$|token$/i.test(path)))
}

/** Fields and paths of the renewal of a token. */
const REFRESH = /refresh|renew/i

function isRenewal(run: Run, { method, path, ...target }: Target): boolean {
  const names = [...bodyPlanOf({ method, path, ...target }, run.resolve)?.fields.keys() ?? []]
  return method === 'POST' && (REFRESH.test(path) || names.some((name) => REFRESH.test(name)))
}

/** Finds the tokens and the cookie of a reply. */
function sessionIn({ status, json, headers }: Observed): Session | undefined {
  if (status < 200 || status >= 300) return undefined
  const tokens = tokensIn((Object(json) as { readonly data?: unknown }).data ?? json)
  const [, access] = tokens.find(([name]) => !REFRESH.test(name)) ?? []
  const cookie = headers['set-cookie']?.map((one) => one.split(';')[0] ?? '').join('; ')
  if (access === undefined && cookie === undefined) return undefined
  return { authorization: access === undefined ? undefined : `Bearer ${access}`, cookie,
    refresh: Object.fromEntries(tokens.filter(([name]) => REFRESH.test(name))) }
}

function tokensIn(value: unknown): (readonly [name: string, token: string])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) =>
    typeof one === 'string' && one.length >= 16 && /token|jwt|access|refresh|session/i.test(name)
      ? [[name, one] as const]
      : tokensIn(one)
  )
}

function headersOf({ authorization, cookie }: Session): Readonly<Record<string, string>> {
  return { ...(authorization !== undefined && { authorization }), ...(cookie !== undefined && { cookie }) }
}

/** Makes a request with the credentials of a session; the fields of a renewal are filled. */
async function requestWith({ run, anonymous }: Sessions, target: Target, session: Session): Promise<CheckRequest> {
  const names = [...bodyPlanOf(target, run.resolve)?.fields.keys() ?? []].filter((name) => REFRESH.test(name))
  const [token] = Object.values(session.refresh)
  const fields: KnownRecord = token === undefined ? {} : Object.fromEntries(names.map((name) => [name, token]))
  const request = (await run.known.maker(target, anonymous))(fields)
  return { ...request, headers: { ...request.headers, ...headersOf(session) } }
}

function isAccepted({ status }: Observed): boolean {
  return status >= 200 && status < 300
}

/** Signs in and out: the token for another one, or where there is none the session itself, is worth nothing then. */
async function checkSignOut(sessions: Sessions, signOut: Target): Promise<void> {
  const { run } = sessions
  const session = await sessions.open()
  if (session === undefined) return
  const renewal = run.targets.find((target) => isRenewal(run, target))
  const later = renewal === undefined || Object.keys(session.refresh).length === 0
    ? await guardedRead(sessions, session)
    : await requestWith(sessions, renewal, session)
  if (later === undefined) return
  const request = await requestWith(sessions, signOut, session)
  if (!isAccepted(await run.send(request)) || !isAccepted(await run.send(later))) return
  // What anybody gets is no use of the session.
  if (isAccepted(await run.send({ ...later, headers: {}, body: undefined }))) return
  const what = later.method === 'GET' ? 'The session' : 'The token for another one'
  await run.record(signOut, { request, about: 'what is accepted after it' }, { kind: 'access',
    message: `${what} is still accepted after the sign-out` })
}

/** Returns a read that only a signed-in caller is admitted to, and that the session may send. */
async function guardedRead({ run, anonymous }: Sessions, session: Session): Promise<CheckRequest | undefined> {
  for (const target of run.targets) {
    if (target.method !== 'GET' || target.access[anonymous] !== 401 || pathNamesOf(target.path).length > 0) continue
    const request = (await run.known.maker(target, anonymous))()
    const signed = { ...request, headers: { ...request.headers, ...headersOf(session) } }
    if (isAccepted(await run.send(signed))) return signed
  }
  return undefined
}

/** Renews twice with one token: where the reply has a new one, the old one was used up. */
async function checkRenewal(sessions: Sessions, renewal: Target): Promise<void> {
  const { run } = sessions
  const session = await sessions.open()
  const [token] = Object.values(session?.refresh ?? {})
  if (session === undefined || token === undefined) return
  const request = await requestWith(sessions, renewal, session)
  const [newToken] = Object.values(sessionIn(await run.send(request))?.refresh ?? {})
  if (newToken === undefined || newToken === token || !isAccepted(await run.send(request))) return
  await run.record(renewal, { request, about: 'the same token again' }, { kind: 'access',
    message: 'A token that was exchanged for a new one is accepted again' })
}
