import type { AuthScheme, Described } from '../base/auth-scheme.js'
import { MisuseError } from '../base/errors.js'
import { isList, propertyOf } from '../base/guards.js'
import { checkOptionNames, show } from '../base/options.js'

/** A scheme of `auth`: one of OpenAPI's, or `basic` or `bearer` in short. */
type SchemeOptions =
  | AuthScheme
  | 'basic'
  | 'bearer'
  | ({ readonly type: 'basic' } & Described)
  | ({ readonly type: 'bearer'; readonly format?: string | undefined } & Described)

export interface DescribeOptions {
  /**
   * The credentials as documents and challenges describe them: those of `verify`, or a list of all that are accepted.
   *
   * @default of `secret` a JWT as bearer, of `jwks` the `openIdConnect` of its issuer, of `verify` a bearer token
   */
  readonly scheme?: SchemeOptions | readonly SchemeOptions[] | undefined
}

/**
 * Returns the schemes of the strategies of an application, each once.
 *
 * @throws MisuseError `auth_scheme` for a scheme that OpenAPI does not have or that no client could send.
 */
export function schemesOf(app: string, sources: readonly unknown[], options: DescribeOptions): readonly AuthScheme[] {
  checkOptionNames(`auth('${app}')`, options, ['scheme'])
  const { scheme } = options
  if (isList(scheme)) {
    const all = scheme.map((item) => toScheme(app, item))
    if (all.length === 0) throw misuse(app, 'must have at least one member')
    return distinct(all)
  }
  const declared = scheme === undefined ? undefined : toScheme(app, scheme)
  const [only, ...others] = sources
  if (declared !== undefined && others.length === 0) return [declared]
  const isOwn = (source: unknown): boolean => typeof source === 'object' && source !== null && 'verify' in source
  if (declared !== undefined && !sources.some(isOwn)) {
    throw misuse(app, 'must be a list, one for each way to authenticate, since none of these is `verify`')
  }
  return distinct([only, ...others].map((source) => (isOwn(source) ? declared : undefined) ?? presetOf(app, source)))
}

/** The exact issuers of the schemes that `jwks` gives; their URL has lost a slash at the end. */
const issuerByScheme = new WeakMap<AuthScheme, string>()

/** Returns the issuer of the tokens of a scheme, `undefined` where it is not known. */
export function issuerOf(scheme: AuthScheme): string | undefined {
  const url = scheme.type === 'openIdConnect' ? scheme.openIdConnectUrl : undefined
  return issuerByScheme.get(scheme) ?? url?.replace(/\/\.well-known\/openid-configuration$/, '')
}

function presetOf(app: string, source: unknown): AuthScheme {
  const issuer = propertyOf(source, 'issuer')
  const description = `A token of the application \`${app}\``
  if (isAddress(issuer)) {
    const preset: AuthScheme = { type: 'openIdConnect', openIdConnectUrl: metadataOf(issuer), description }
    issuerByScheme.set(preset, issuer)
    return preset
  }
  const isJwt = propertyOf(source, 'verify') === undefined
  return { type: 'http', scheme: 'bearer', ...(isJwt && { bearerFormat: 'JWT' }), description }
}

/** Returns where an issuer publishes its metadata (OpenID Connect Discovery §4). */
function metadataOf(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

function isAddress(url: unknown): url is string {
  return typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url)
}

/** Returns each of several schemes once. */
export function distinct(schemes: readonly AuthScheme[]): readonly AuthScheme[] {
  return [...new Map(schemes.map((scheme) => [JSON.stringify(scheme), scheme])).values()]
}

/** Characters of the name of a header or cookie (RFC 9110 §5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/** Reads the properties of one type of scheme, besides `type` and `description`. */
interface SchemeType {
  readonly names: readonly string[]
  readonly read: (app: string, properties: Readonly<Record<string, unknown>>, description: string) => AuthScheme
}

const TYPES: Readonly<Record<string, SchemeType>> = {
  basic: { names: [], read: (_app, _given, description) => ({ type: 'http', scheme: 'basic', description }) },
  bearer: { names: ['format'], read: (app, { format }, description) => bearer(app, format, description) },
  http: { names: ['scheme', 'bearerFormat'], read: http },
  apiKey: { names: ['in', 'name'], read: apiKey },
  openIdConnect: { names: ['openIdConnectUrl'], read: openIdConnect },
}

function toScheme(app: string, declared: unknown): AuthScheme {
  const scheme: unknown = typeof declared === 'string' ? { type: declared } : declared
  if (typeof scheme !== 'object' || scheme === null) throw misuse(app, `must be an object, not ${show(declared)}`)
  const { type, description, ...rest } = scheme as { readonly type?: unknown } & Described & Record<string, unknown>
  const check = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (check === undefined) {
    throw misuse(app, `has the type 'apiKey', 'basic', 'bearer' or 'openIdConnect', not ${show(type)}`)
  }
  checkOptionNames(`\`scheme\` of auth('${app}')`, rest, check.names)
  return check.read(app, rest, description ?? `Credentials of the application \`${app}\``)
}

function http(app: string, { scheme, bearerFormat }: Readonly<Record<string, unknown>>,
  description: string): AuthScheme
{
  if (scheme === 'bearer') return bearer(app, bearerFormat, description)
  if (scheme === 'basic') return { type: 'http', scheme, description }
  throw misuse(app, `has the \`scheme\` 'basic' or 'bearer', not ${show(scheme)}`)
}

function openIdConnect(
  app: string,
  { openIdConnectUrl: url }: Readonly<Record<string, unknown>>,
  description: string,
): AuthScheme {
  if (isAddress(url)) return { type: 'openIdConnect', openIdConnectUrl: url, description }
  throw misuse(app, "needs the address of the provider's metadata as `openIdConnectUrl`")
}

function bearer(app: string, format: unknown, description: string): AuthScheme {
  if (format === undefined) return { type: 'http', scheme: 'bearer', description }
  if (typeof format === 'string') return { type: 'http', scheme: 'bearer', bearerFormat: format, description }
  throw misuse(app, `has a string as format, not ${show(format)}`)
}

function apiKey(app: string, { in: place, name }: Readonly<Record<string, unknown>>, description: string): AuthScheme {
  if (place !== 'header' && place !== 'query' && place !== 'cookie') {
    throw misuse(app, `has \`in\`: 'header', 'query' or 'cookie', not ${show(place)}`)
  }
  if (typeof name === 'string' && (place === 'query' ? name !== '' : TOKEN.test(name))) {
    return { type: 'apiKey', in: place, name, description }
  }
  throw misuse(app, `needs the \`name\` of a ${place === 'query' ? 'parameter' : place}, not ${show(name)}`)
}

function misuse(app: string, why: string): MisuseError {
  return new MisuseError(
    'auth_scheme',
    `\`scheme\` of auth('${app}') ${why}. Write { type: 'apiKey', in: 'header', name: 'X-API-Key' }, for example.`,
  )
}
