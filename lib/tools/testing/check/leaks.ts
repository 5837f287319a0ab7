import { homedir, tmpdir } from 'node:os'
import { hasProperties } from '../../../core/index.js'
import { propertiesOf } from './collections.js'
import type { Observed } from './model.js'

/** A string, or a pattern, that no reply may contain. */
export type Secret = string | RegExp

interface Sign {
  readonly what: string
  readonly pattern: RegExp
}

/** Signs that no reply may contain, whatever its status. */
const ALWAYS: readonly Sign[] = [
  { what: 'a stack trace', pattern: /(?:^|\\n|\n)\s+at (?:async )?[^\n]{1,200}?:\d+:\d+\)?/ },
  { what: 'a path of a module', pattern: /\bnode_modules\/|\bnode:internal\// },
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  {
    what: 'an address with credentials',
    pattern: /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/[^\s"/]*@/,
  },
  { what: 'a password hash', pattern: /\$2[aby]\$\d\d\$[./\w]{20,}|\$argon2(?:id|i|d)\$|\$scrypt\$|\$pbkdf2/ },
]

/** Texts of drivers and databases; a word alone, such as "select … from", may be plain English. */
const SQL = signs('SQL', [
  /\bSELECT\b.{1,400}?\bFROM\b|\bINSERT INTO\b|\bUPDATE\b.{1,200}?\bSET\b|\bDELETE FROM\b/,
  /\bselect\b.{1,400}?\bfrom\s+\\?["`[\w]+\\?["`\]]?\s+(?:where|order by|limit|join)\b/,
  /\b(?:select\b.{1,400}?\bfrom|insert into|update|delete from)\s+\\?["`]\w/,
])

const DATABASE = signs('the message of a database', [
  /\bviolates (?:unique|foreign key|not-null|check|exclusion) constraint|\bduplicate key value\b|\bDuplicate entry '/,
  /\b(?:relation|column|table|constraint) \\?["'`][\w.]+\\?["'`] (?:of|does|already)|\bno such (?:table|column)\b/,
  /\bsyntax error at or near|in your SQL syntax|\binvalid input syntax for|\bSQLITE_[A-Z]+|\bER_[A-Z]+_|\bSQLSTATE\b/,
  /\b(?:UNIQUE|FOREIGN KEY|NOT NULL|CHECK) constraint\b|\bE11000\b/,
  /\bPrisma(?:Client)?\w*Error|\bSequelize\w*Error|\bQueryFailedError|\bMongo\w*Error|\bCastError\b/,
])

const ENGINE = signs('the message of a JavaScript error', [
  /\b(?:Type|Range|Reference|Syntax|URI|Eval|Aggregate|Zod|Assertion)Error\b/,
  /Cannot (?:read|set) propert(?:y|ies) of|\bis not (?:a function|a constructor|iterable)\b|"[\w$]+ is not defined"/,
  /Cannot (?:destructure property|convert (?:undefined|object|a )|access '|mix BigInt|assign to read only)/,
  /Unexpected (?:token|end of)|Invalid (?:time value|regular expression|array length|count value|string length)/,
  /Maximum call stack|circular structure|URI malformed|is not valid JSON|serialize a BigInt|Nothing to repeat/,
  /Invalid character in header|Expected property name|toFixed\(\) digits|Reduce of empty array/,
])

const NETWORK = signs('an address inside the network', [
  /\b(?:127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+)(?::\d+)?\b/,
  /\blocalhost:\d+|\b[\w-]+(?:\.[\w-]+)*\.(?:internal|lan|corp|intranet|svc)\b|\/\/[\w.-]+\.local\b/,
  /\b[\w-]+\.[\w.-]+\.local\b|\b[\w.-]+\.local:\d+/,
  // A name with the port of a database, a cache, a queue or a server in a private network.
  /\b[a-z][\w.-]*:(?:1433|1521|2181|2379|3000|3306|4222|5432|5672|6379|8080|8443|9000|9092|9200|11211|27017)\b/i,
  /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|jdbc:\w+|kafka|ldaps?):\/\/[^\s"]+/i,
  /\bhttps?:\/\/(?!localhost\b)[a-z][\w-]*(?::\d+)?(?=[/\s"'?]|$)/i,
  /\b(?:db|sql|pg|postgres|mysql|mongo|redis|kafka|ldap|vault)[\w-]*\.[a-z][\w-]*\.[a-z][\w.-]*/i,
])

const CREDENTIAL = signs('a credential', [
  /\b(?:sk|pk|rk)_(?:live|test)_\w{6,}|\bAKIA[0-9A-Z]{12,}|\bgh[pousr]_\w{20,}|\bxox[abp]-\w+/,
  /\b(?:password|passwd|secret|api_?key|token)=[^\s&"]{3,}/i,
])

const SYSTEM = signs('the message or a path of the operating system', [
  /\bE(?:NOENT|ACCES|PERM|EXIST|NOTDIR|ISDIR|MFILE|NOSPC|CONNREFUSED|CONNRESET|TIMEDOUT|PIPE|HOSTUNREACH|NOTFOUND)\b/,
  /\bE(?:AI_AGAIN|NAMETOOLONG|NOTEMPTY|ADDRINUSE)\b|\bERR_[A-Z]+_[A-Z_]+\b/,
  /(?<![\w/.:])\/(?:home|root|usr|var|etc|opt|srv|tmp|Users)\/[\w.-]+|\b[A-Z]:\\\\?[\w.-]+|\bfile:\/\/\//,
  /(?<![\w:/])\/(?:[\w.-]+\/)+[\w.-]+\.(?:[cm]?[jt]s|sql|env|pem|key|ya?ml|conf|ini|db|sqlite3?|log)\b/,
])

/** Signs that an error may not contain: texts of engines, drivers and the operating system. */
const IN_ERRORS = [...SQL, ...DATABASE, ...ENGINE, ...SYSTEM, ...NETWORK, ...CREDENTIAL]

/** Signs that no header may contain. */
const IN_HEADERS = [...ALWAYS, ...SQL, ...DATABASE, ...CREDENTIAL]

/** Signs that no header of an error may contain. */
const IN_ERROR_HEADERS = [...SYSTEM, ...NETWORK]

/** Headers that have addresses and tokens for the caller, or the addresses of pages that may call. */
const FOR_CALLER = new Set(['location', 'link', 'set-cookie', 'authorization', 'content-location', 'www-authenticate',
  'access-control-allow-origin', 'content-security-policy', 'report-to', 'reporting-endpoints', 'alt-svc'])

function ownHeaders(headers: Observed['headers']): string {
  const own = Object.entries(headers).filter(([name]) => !FOR_CALLER.has(name))
  return own.map(([, values]) => String(values)).join('\n')
}

function signs(what: string, patterns: readonly RegExp[]): Sign[] {
  return patterns.map((pattern) => ({ what, pattern }))
}

/** A key under which a password, or what is made of it, is kept; a reply that has it empty or masked is fine. */
const PASSWORDS = [
  /^(?:user_?|hashed_?|encrypted_?)?(?:pass(?:word|wd|phrase)|pwd)(?:_?(?:hash|digest|salt|encrypted))?$/i,
  /^(?:password_?)?reset_?token(?:_?hash)?$/i,
]

/** A key under which something is kept that only the server may know; a creation may show it once. */
const SECRETS = [
  /^(?:(?:client|webhook|signing|shared|hmac|totp|mfa|jwt|session|encryption)_?)?secret(?:_?(?:key|hash))?$/i,
  /^(?:private|signing|encryption)_?key$/i,
]

/** Finds what a reply tells that it must not; the strings of the request itself may come back. */
export class Leaks {
  readonly #secrets: readonly Secret[]
  readonly #folders: readonly RegExp[]

  constructor(secrets: readonly Secret[]) {
    this.#secrets = [...secrets, ...environmentSecrets()]
    this.#folders = [process.cwd(), homedir(), `${tmpdir()}/`].filter((folder) => folder.length > 4).map(toFolder)
  }

  /** Returns a sentence for the first leak in a reply, `undefined` if there is none; `sent` is the whole request. */
  find({ status, headers, text, json }: Observed, sent: string, isRead: boolean): string | undefined {
    const whole = `${Object.entries(headers).map(([name, values]) => `${name}: ${String(values)}`).join('\n')}\n${text}`
    if (this.#secrets.some((one) => isIn(one, whole) && !isIn(one, sent))) return 'The reply contains a secret'
    if (this.#folders.some((one) => one.test(whole) && !one.test(sent))) {
      return 'The reply contains a path of this machine'
    }
    const sign = signIn(status >= 400 ? [...ALWAYS, ...IN_ERRORS] : ALWAYS, text, sent)
      ?? signIn(status >= 400 ? [...IN_HEADERS, ...IN_ERROR_HEADERS] : IN_HEADERS, ownHeaders(headers), sent)
    const key = status < 400 && !isDocument(json) ? shownKey(json, isRead) : undefined
    return sign ?? (key === undefined ? undefined : `The reply contains \`${key}\``)
  }
}

/** Returns a pattern of a folder as a path of its own: it may be a part of a URL. */
function toFolder(folder: string): RegExp {
  const path = folder.replace(/[$.*+?^(){}|[\]\\]/g, '\\$&')
  return new RegExp(`(?:\\\\[nrt]|file:\\/\\/|(?<![\\w/.%~-]))${path}(?:(?<=\\/)|(?![\\w-]))`)
}

function signIn(all: readonly Sign[], text: string, sent: string): string | undefined {
  const found = all.find(({ pattern }) => {
    const match = pattern.exec(text)?.[0]
    return match !== undefined && !sent.includes(match.trim())
  })
  return found && `The reply contains ${found.what}`
}

/** An OpenAPI document names the fields of passwords. */
function isDocument(json: unknown): boolean {
  return Object.hasOwn(propertiesOf(json), 'openapi')
}

function isIn(secret: Secret, text: string): boolean {
  return typeof secret === 'string' ? text.includes(secret) : text.search(secret) !== -1
}

/** Returns the values of environment variables that are secrets by their names. */
function environmentSecrets(): string[] {
  return Object.entries(process.env).flatMap(([name, value = '']) =>
    /SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_KEY|ACCESS_KEY/i.test(name) && value.length >= 12 ? [value] : []
  )
}

/** Returns the key of a password in a JSON value, at any depth, and of what only the server may know in a read. */
function shownKey(json: unknown, isRead: boolean): string | undefined {
  if (!hasProperties(json)) return undefined
  for (const [key, value] of Object.entries(json)) {
    const patterns = isRead ? [...PASSWORDS, ...SECRETS] : PASSWORDS
    if (patterns.some((pattern) => pattern.test(key)) && isShown(value)) return key
    const inside = shownKey(value, isRead)
    if (inside !== undefined) return inside
  }
  return undefined
}

function isShown(value: unknown): boolean {
  return typeof value === 'string'
    ? !/^(?:[*•.xX-]*|\[?redacted\]?|\[?hidden\]?)$/i.test(value)
    : Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}
