import type { Fault, Observed } from './model.js'

/** Names of cookies that sign a caller in; a token against forged requests is read by scripts. */
const SESSION = /sess|sid\b|token|auth|jwt|refresh|remember|sign-?in|login/i
const READ_BY_SCRIPTS = /csrf|xsrf/i

/** Finds cookies of a session that scripts can read or that every site can send. */
export function cookieFaults({ headers, text }: Observed): Fault[] {
  const messages = (headers['set-cookie'] ?? []).map((cookie) => cookieFault(cookie, text))
  return messages.flatMap((message): Fault[] => message === undefined ? [] : [{ kind: 'leak', message }])
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly isDeleted: boolean
  readonly has: (attribute: RegExp) => boolean
}

function parse(cookie: string): Cookie {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
  const [name = '', value = ''] = pair.split('=')
  const has = (pattern: RegExp): boolean => attributes.some((attribute) => pattern.test(attribute))
  return { name, value, isDeleted: value === '' || has(/^max-age=0*$/i) || has(/^expires=thu, 01 jan 1970/i), has }
}

/** Returns true for a value that the body of the reply has as a token, whatever its cookie is called. */
function isToken(value: string, text: string): boolean {
  const literal = value.replace(/[$.*+?^(){}|[\]\\]/g, '\\$&')
  return value.length >= 16
    && new RegExp(`"\\w*(?:token|jwt|access|refresh|session)\\w*":\\s*"${literal}"`, 'i').test(text)
}

function cookieFault(cookie: string, text: string): string | undefined {
  const { name, value, isDeleted, has } = parse(cookie)
  if (isDeleted || READ_BY_SCRIPTS.test(name)) return undefined
  if (!SESSION.test(name) && !isToken(value, text)) return undefined
  if (!has(/^httponly$/i)) return `Scripts of a page can read the cookie \`${name}\`: it has no \`HttpOnly\``
  const isSentByAll = has(/^samesite=none$/i) && !has(/^secure$/i)
  return isSentByAll ? `The cookie \`${name}\` has \`SameSite=None\` without \`Secure\`` : undefined
}
