import { pathNamesOf } from '../../../core/index.js'
import { isAccepted, isAdmitted, propertiesOf, type KnownRecord } from './collections.js'
import type { Run } from './run.js'
import { jsonOf } from './written.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** The credentials of a sign-in. */
export interface Session {
  /** The value of the `Authorization` header. */
  readonly authorization: string | undefined
  /** The token for another one, by the name of its field. */
  readonly refresh: Readonly<Record<string, string>>
  readonly cookie: string | undefined
}

/** Fields that name an account. */
export const LOGIN = /^(?:e-?mail(?:_?address)?|user_?name|user|login|account|phone|handle|identifier)$/i

export const PASSWORD = /^(?:pass(?:word|wd|phrase|code)?|pwd|pin|code|otp)$/i

/** Fields and paths of the renewal of a token. */
export const REFRESH = /refresh|renew/i

/** The sign-ins of an application, with credentials that are known. */
export class Sessions {
  readonly run: Run
  readonly #anonymous: string
  readonly #signIns: readonly Target[]

  constructor(run: Run, anonymous: string) {
    this.run = run
    this.#anonymous = anonymous
    this.#signIns = run.targets.filter((target) => this.#isSignIn(target))
  }

  #isSignIn(target: Target): boolean {
    const names = this.fieldsOf(target)
    return target.method === 'POST' && isAdmitted(target.access[this.#anonymous])
      && names.some((name) => LOGIN.test(name)) && names.some((name) => PASSWORD.test(name))
      && /log-?in|sign-?in|session|token|auth/i.test(target.path)
  }

  fieldsOf(target: Target): string[] {
    return [...this.run.fieldsOf(target).keys()]
  }

  /** Returns true for a route that asks for credentials. */
  isGuarded({ access }: Target): boolean {
    return access[this.#anonymous] === 401
  }

  /** Signs in; `undefined` if the request is refused or gives no credentials. */
  async open(): Promise<Session | undefined> {
    for (const target of this.#signIns) {
      const session = sessionIn(await this.run.send(await this.#request(target)))
      if (session !== undefined) return session
    }
    return undefined
  }

  async password(): Promise<string | undefined> {
    for (const target of this.#signIns) {
      const fields = Object.entries(jsonOf(await this.#request(target)))
      const value = fields.find(([name]) => PASSWORD.test(name))?.[1]
      if (typeof value === 'string') return value
    }
    return undefined
  }

  #request(target: Target, fields?: KnownRecord): Promise<CheckRequest> {
    return this.run.valid(target, this.#anonymous, fields)
  }

  /** Makes a request with the credentials of a session; the fields of a renewal are filled. */
  async requestWith(session: Session, target: Target, fields: KnownRecord = {}): Promise<CheckRequest> {
    const [token] = Object.values(session.refresh)
    const names = token === undefined ? [] : this.fieldsOf(target).filter((name) => REFRESH.test(name))
    const request = await this.#request(target, { ...Object.fromEntries(names.map((name) => [name, token])),
      ...fields })
    return { ...request, headers: { ...request.headers, ...headersOf(session) } }
  }

  /** Returns a read that only a signed-in caller is admitted to, and that the session may send. */
  async guardedRead(session: Session): Promise<CheckRequest | undefined> {
    for (const target of this.run.targets) {
      if (target.method !== 'GET' || !this.isGuarded(target) || pathNamesOf(target.path).length > 0) continue
      const request = await this.requestWith(session, target)
      if (isAccepted(await this.run.send(request))) return request
    }
    return undefined
  }
}

/** Finds the tokens and the cookie of a reply. */
export function sessionIn(observed: Observed): Session | undefined {
  if (!isAccepted(observed)) return undefined
  const { json, headers } = observed
  const tokens = tokensIn(propertiesOf(json).data ?? json)
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

/** Claims that name a session. */
const NAMES_SESSION = /^(?:jti|sid|session(?:_?id)?|nonce|version|generation)$/i

/** Returns false for a token that names no session: nothing but its time ends it. */
export function canEnd({ authorization = '' }: Session): boolean {
  const [, payload] = authorization.split('.')
  if (payload === undefined) return true
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    return Object.keys(claims).some((name) => NAMES_SESSION.test(name))
  } catch {
    return true
  }
}
