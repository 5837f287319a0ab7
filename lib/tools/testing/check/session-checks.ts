import { pathNamesOf } from '../../../core/index.js'
import { isAccepted } from './collections.js'
import type { Run } from './run.js'
import { canEnd, REFRESH, sessionIn, Sessions, type Session } from './sessions.js'
import type { CheckRequest, Target } from './model.js'

/** Signs in, and checks that what has ended a session has ended it. */
export async function checkSessions(run: Run): Promise<void> {
  const anonymous = run.anonymous()
  if (anonymous === undefined) return
  const sessions = new Sessions(run, anonymous)
  for (const target of run.left()) {
    if (isSignOut(target)) await checkSignOut(sessions, target)
    else if (isRenewal(sessions, target)) await checkRenewal(sessions, target)
    else await checkNewPassword(sessions, target)
  }
}

function isSignOut({ method, path }: Target): boolean {
  const hasWord = /log-?out|sign-?out|revoke/i.test(path)
  return pathNamesOf(path).length === 0 && (method === 'POST' ? hasWord : method === 'DELETE'
    && (hasWord || /session$|token$/i.test(path)))
}

function isRenewal(sessions: Sessions, target: Target): boolean {
  return target.method === 'POST'
    && (REFRESH.test(target.path) || sessions.fieldsOf(target).some((name) => REFRESH.test(name)))
}

/** Signs in and out: neither the token for another one nor a session that the server keeps is accepted then. */
async function checkSignOut(sessions: Sessions, signOut: Target): Promise<void> {
  const { run } = sessions
  const session = await sessions.open()
  if (session === undefined) return
  const uses = await usesOf(sessions, session)
  const request = await sessions.requestWith(session, signOut)
  if (uses.length === 0 || !isAccepted(await run.send(request))) return
  for (const use of uses) {
    // What anybody gets is no use of the session.
    const isUsed = isAccepted(await run.send(use))
      && !isAccepted(await run.send({ ...use, headers: {}, body: undefined }))
    if (!isUsed) continue
    const what = use.method === 'GET' ? 'The session' : 'The token for another one'
    await run.record(signOut, { request, about: 'what is accepted after it' }, { kind: 'access',
      message: `${what} is still accepted after the sign-out` })
    return
  }
}

/** Returns requests that a session may send until it ends. */
async function usesOf(sessions: Sessions, session: Session): Promise<CheckRequest[]> {
  const renewal = sessions.run.targets.find((target) => isRenewal(sessions, target))
  const isRenewed = renewal !== undefined && Object.keys(session.refresh).length > 0
  const read = !isRenewed || canEnd(session) ? await sessions.guardedRead(session) : undefined
  return [...(read === undefined ? [] : [read]), ...(isRenewed ? [await sessions.requestWith(session, renewal)] : [])]
}

/** Renews twice with one token: where the reply has a new one, the old one was used up. */
async function checkRenewal(sessions: Sessions, renewal: Target): Promise<void> {
  const { run } = sessions
  const session = await sessions.open()
  const [token] = Object.values(session?.refresh ?? {})
  if (session === undefined || token === undefined) return
  const request = await sessions.requestWith(session, renewal)
  const [newToken] = Object.values(sessionIn(await run.send(request))?.refresh ?? {})
  if (newToken === undefined || newToken === token || !isAccepted(await run.send(request))) return
  await run.record(renewal, { request, about: 'the same token again' }, { kind: 'access',
    message: 'A token that was exchanged for a new one is accepted again' })
}

/** Fields of a change of a password. */
const OLD = /^(?:current|old|previous)_?(?:pass(?:word|wd)?)?$/i
const NEW = /^(?:new|next)_?(?:pass(?:word|wd)?)?$/i

/** Changes the password in one session: another session, which somebody else may have opened, has to end. */
async function checkNewPassword(sessions: Sessions, target: Target): Promise<void> {
  const { run } = sessions
  const names = sessions.fieldsOf(target)
  const [old, next] = [names.find((name) => OLD.test(name)), names.find((name) => NEW.test(name))]
  if (old === undefined || next === undefined || !sessions.isGuarded(target)) return
  const password = await sessions.password()
  const own = await sessions.open()
  const read = await readOfAnother(sessions)
  if (password === undefined || own === undefined || read === undefined) return
  const change = (from: string, to: string): Promise<CheckRequest> =>
    sessions.requestWith(own, target, { [old]: from, [next]: to })
  const changed = `${password} zq7X!`
  // The sign-ins of other checks need the password that it was.
  const undo = await change(changed, password)
  const request = await change(password, changed)
  if (!isAccepted(await run.send(request))) return
  const isOpen = isAccepted(await run.send(read))
  await run.send(undo)
  if (!isOpen) return
  await run.record(target, { request, about: 'another session' }, { kind: 'access',
    message: 'Another session is still accepted after the password has changed' })
}

/** Opens a session that can end, and returns a read with it. */
async function readOfAnother(sessions: Sessions): Promise<CheckRequest | undefined> {
  const session = await sessions.open()
  return session === undefined || !canEnd(session) ? undefined : sessions.guardedRead(session)
}
