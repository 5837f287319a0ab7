import { isAccepted, propertiesOf, type KnownRecord } from './collections.js'
import { hiddenNames } from './read-checks.js'
import type { Run } from './run.js'
import { LOGIN, PASSWORD } from './sessions.js'
import { jsonOf, withFields } from './written.js'
import type { CheckRequest, Fault, Observed, Target } from './model.js'

/** Routes that create accounts, which have to tell that a name is taken. */
const REGISTRATION = /sign-?up|register|registration|users?$|accounts?$|members?$|invit/i

/** Routes that send a password or a link, whose bodies have no password. */
const RESET = /forgot|reset|recover|password|magic|resend|verif/i

/** Checks that replies to sign-ins do not tell which accounts exist, and that no login is run as a query. */
export async function checkSignIns(run: Run): Promise<void> {
  const columns = await hiddenNames(run)
  const anonymous = run.anonymous() ?? 'anonymous'
  for (const target of run.left()) {
    const login = loginOf(run, target)
    if (login === undefined) continue
    await checkPasswords(run, target, anonymous)
    const logins = await knownLogins(run, columns, login)
    await checkAccounts(run, target, anonymous, { login, logins })
  }
}

/** Returns the field of a sign-in, or of a reset, that names the account; `undefined` for any other route. */
function loginOf(run: Run, target: Target): string | undefined {
  if (target.method !== 'POST' || REGISTRATION.test(target.path)) return undefined
  if (!Object.values(target.access).includes('public')) return undefined
  const names = [...run.fieldsOf(target).keys()]
  const isSignIn = names.some((name) => PASSWORD.test(name)) || RESET.test(target.path)
  return isSignIn ? names.find((name) => LOGIN.test(name)) : undefined
}

/** Returns some values of the login that accounts have: of examples, of rows, and of records in lists. */
async function knownLogins(run: Run, columns: ReadonlyMap<string, readonly unknown[]>,
  login: string): Promise<string[]>
{
  const examples = Object.values(run.settings.examples).map(({ body }) => body?.[login])
  const rows = [...columns].flatMap(([name, values]) => LOGIN.test(name) ? values : [])
  const records: KnownRecord[] = []
  for (const list of run.targets.filter(({ entry }) => entry?.action === 'list')) {
    for (const caller of run.sender.callers.keys()) records.push(...await run.known.ownRecords(list.path, caller))
  }
  const shown = records.flatMap(Object.entries<unknown>).filter(([name]) => LOGIN.test(name)).map(([, value]) => value)
  const isMail = /mail/i.test(login)
  return [...new Set([...examples, ...rows, ...shown])].filter((value): value is string =>
    typeof value === 'string' && value !== '' && (!isMail || value.includes('@'))
  ).slice(0, 4)
}

/** Signs in by the credentials of an example, and then by passwords that are nearly the same. */
async function checkPasswords(run: Run, target: Target, caller: string): Promise<void> {
  const make = await run.known.maker(target, caller)
  const body = jsonOf(make())
  const [name = '', right] = Object.entries(body).find(([one]) => PASSWORD.test(one)) ?? []
  if (typeof right !== 'string' || right === '' || run.isOver() || (await run.send(make())).status >= 300) return
  for (const wrong of wrongPasswords(right)) {
    const request = { ...make(), body: { json: { ...body, [name]: wrong } } }
    const observed = await run.send(request)
    if (observed.status === 429) return
    if (isAccepted(observed)) return run.record(target, { request, about: 'a wrong password' }, ACCEPTED)
  }
}

/** Returns an empty password, the beginning of the right one, one with the same beginning, and one in another case. */
function wrongPasswords(right: string): string[] {
  const swapped = right.replace(/[a-z]/gi,
    (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())
  const near = ['', right.slice(0, -1), right.slice(0, 8), `${right.slice(0, 8)}zq7x`, swapped]
  return [...new Set(near)].filter((one) => one !== right)
}

const ACCEPTED: Fault = { kind: 'access', message: 'A sign-in with a wrong password is accepted' }

/** Signs in by accounts that exist and by one that does not, with a wrong password. */
async function checkAccounts(run: Run, target: Target, caller: string,
  { login, logins }: { readonly login: string; readonly logins: readonly string[] }): Promise<void>
{
  const make = await run.known.maker(target, caller)
  const requestOf = (value: string): CheckRequest => {
    const request = make({ [login]: value })
    return withFields(request, { ...wrongPasswordsOf(request), [login]: value })
  }
  const unknownLogin = `nobody${run.known.next()}@example.com`
  const unknown = await run.send(requestOf(unknownLogin))
  for (const known of logins) {
    const request = requestOf(known)
    const [reply, again] = [await run.send(request), await run.send(requestOf(unknownLogin))]
    // A limit of tries, or a reply that is another one each time, tells nothing.
    if ([reply.status, again.status].includes(429)
      || contentOf(again, unknownLogin) !== contentOf(unknown, unknownLogin))
      return
    if (reply.status < 300 && unknown.status >= 400 && Object.keys(wrongPasswordsOf(request)).length > 0) {
      return run.record(target, { request, about: 'a wrong password' }, ACCEPTED)
    }
    if (contentOf(reply, known) === contentOf(unknown, unknownLogin) && !isToldByHeader(reply, [unknown, again]))
      continue
    return run.record(target, { request, about: `the field \`${login}\`` }, { kind: 'leak',
      message: `The reply tells whether an account with this \`${login}\` exists` })
  }
  if (unknown.status >= 400) await checkLoginQuery(run, target, login, requestOf)
}

/** Returns for each password of a body one of the same length at the least that no account has. */
function wrongPasswordsOf(request: CheckRequest): KnownRecord {
  return Object.fromEntries(
    Object.entries(jsonOf(request)).filter(([name]) => PASSWORD.test(name))
      .map(([name, value]) => [name, typeof value === 'string' ? wrongFor(value) : value]),
  )
}

function wrongFor(value: string): string {
  return /^\d+$/.test(value) ? value.replace(/\d/g, (digit) => String((Number(digit) + 3) % 10)) : `${value.slice(1)}q`
}

/** Returns the content of a reply without the name of the account. */
function contentOf({ status, json, text, headers }: Observed, login: string): string {
  const { meta, ...rest } = propertiesOf(json)
  const content = json === undefined ? text : JSON.stringify([rest, { ...propertiesOf(meta), requestId: 0 }])
  return `${status} ${content.replaceAll(login, '')} ${headers['set-cookie'] === undefined}`
}

/** Headers that differ from one reply to the next, or with the length of the login. */
const OF_REPLIES = /date|etag|length|request-?id|set-cookie|limit|time|trace|retry/

/** Returns true for a reply with another header than two replies for an unknown account, where these agree. */
function isToldByHeader({ headers }: Observed, [one, again]: readonly [Observed, Observed]): boolean {
  const names = new Set([headers, one.headers].flatMap((some) => Object.keys(some)))
  return [...names].some((name) =>
    !OF_REPLIES.test(name) && String(one.headers[name]) === String(again.headers[name])
    && String(headers[name]) !== String(one.headers[name])
  )
}

/** Signs in by a login that only SQL reads as a condition. */
async function checkLoginQuery(run: Run, target: Target, login: string,
  requestOf: (value: string) => CheckRequest): Promise<void>
{
  for (const value of ["x' OR 'a'='a' -- ", `x" OR "a"="a" -- `, "x@example.com' OR 'a'='a' -- "]) {
    const request = requestOf(value)
    if (!isAccepted(await run.send(request))) continue
    return run.record(target, { request, about: `the field \`${login}\`` }, { kind: 'leak',
      message: `\`${login}\` is run as a part of SQL` })
  }
}
