import { MisuseError, type MisuseCode } from '../base/errors.js'
import { propertyOf } from '../base/guards.js'
import { validateHeaderName } from '../base/node-http.js'
import { checkOptionNames, show, suggestion } from '../base/options.js'
import type { HeaderFields } from '../routing/route-info.js'
import { withoutExtension } from '../routing/extension.js'
import { isPlainObject } from '../validate/plain-data.js'
import { isActionName } from './actions.js'
import { checkInput, checkOutput } from './check-schemas.js'
import type { Group, LooseAction, LooseSpec } from './loose-declaration.js'
import type { Traits } from './declaration.js'
import { checkForms } from './forms.js'

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
const DOTTED_NAME = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$/

const TRAITS = ['summary', 'description', 'tags', 'doc', 'deprecated', 'meta', 'examples', 'auth', 'can', 'use', 'body']
/** The options that each group of routes has. */
export const GROUP_KEYS = [...TRAITS, 'app', 'guards', 'route', 'name', 'singular', 'tool']
// dprint-ignore
const ACTION_KEYS = [
  ...TRAITS, 'tool', 'status', 'message', 'produces', 'requestHeaders', 'responseHeaders', 'statuses', 'input', 'query',
  'output', 'files', 'handler',
]
const CUSTOM_KEYS = [...ACTION_KEYS, 'methods', 'route']

/**
 * Checks a group of routes before any is mounted. `where` begins each message, and `ownOptions` are the options besides
 * those that every group has.
 */
export function checkGroup(where: string, group: Group, ownOptions: readonly string[]): void {
  checkOptionNames(where, group, [...GROUP_KEYS, ...ownOptions])
  if (!isNameOr(group.app, NAME)) throw nameInvalid('app_invalid', where, 'app', group.app)
  if (!isNameOr(group.name, DOTTED_NAME)) throw nameInvalid('name_invalid', where, 'name', group.name)
  if (!isNameOr(group.singular, NAME)) throw nameInvalid('name_invalid', where, 'singular', group.singular)
  if (group.tool !== undefined && typeof group.tool !== 'boolean') {
    throw toolInvalid(where, 'must be true or false; a name and a description belong to an action')
  }
  checkForms(where, group)
  checkMiddleware(where, 'guards', group.guards)
  checkTraits(where, group)
}

export function checkAction(where: string, name: string, spec: LooseSpec): void {
  checkOptionNames(where, withoutExtension(spec), isActionName(name) ? ACTION_KEYS : CUSTOM_KEYS)
  if (!NAME.test(name)) throw nameInvalid('action_invalid', where, 'action', name)
  checkForms(where, spec)
  checkTraits(where, spec)
  checkHandler(where, spec.handler)
  checkInput(where, 'input', spec.input)
  checkInput(where, 'query', spec.query)
  checkOutput(where, spec.output)
  checkDocumented(where, spec)
  checkTool(where, spec)
  const { status = 200 } = spec
  if (!Number.isInteger(status) || status < 200 || status > 299) {
    throw new MisuseError(
      'status_invalid',
      `${where} has the status ${show(status)}; the status of a success must be from 200 to 299.`,
    )
  }
}

/** @throws MisuseError `action_unknown` with the names of the actions. */
export function checkActionNames(where: string, names: readonly string[], allowed: readonly string[]): void {
  for (const name of names) {
    if (isActionName(name)) continue
    throw new MisuseError(
      'action_unknown',
      `${where} has no action \`${name}\`.${suggestion(name, allowed)} The actions are ${allowed.join(', ')}. Declare `
        + 'others under `custom`.',
    )
  }
}

/** Returns an action as a spec: a plain handler has no options. */
export function toSpec(action: LooseAction): LooseSpec {
  return typeof action === 'function' ? { handler: action } : action
}

export function middlewareOf<T>(use: T | readonly T[] | undefined): readonly T[] {
  return use === undefined ? [] : Array.isArray(use) ? (use as readonly T[]) : [use as T]
}

/** Changes the first letter to lower case, to continue a sentence. */
export function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

/** Returns true for a name by a pattern and for `undefined`; a pattern alone would accept a list of one name. */
function isNameOr(name: unknown, pattern: RegExp): boolean {
  return name === undefined || (typeof name === 'string' && pattern.test(name))
}

function nameInvalid(code: MisuseCode, where: string, what: string, name: unknown): MisuseError {
  const dots = what === 'name' ? ', and may join several names by dots' : ''
  const shown = typeof name === 'string' ? `\`${name}\`` : show(name)
  return new MisuseError(
    code,
    `${where} has the ${what} ${shown}: a name consists of letters, digits, \`_\` and \`-\`, begins with a `
      + `letter${dots}.`,
  )
}

function checkTraits(where: string, { auth, can, use, body, examples }: Traits): void {
  if (examples !== undefined && !isPlainObject(examples)) {
    throw new MisuseError(
      'examples_invalid',
      `The \`examples\` of ${lower(where)} must be an object with a value for each argument: { id: 7 }.`,
    )
  }
  const markers: readonly unknown[] = [undefined, true, false]
  if (![...markers, 'optional'].includes(auth)) {
    throw new MisuseError(
      'auth_invalid',
      `${where} has \`auth: ${show(auth)}\`: it must be true, false or 'optional'.`,
    )
  }
  if (!markers.includes(can)) {
    throw new MisuseError('can_invalid', `${where} has \`can: ${show(can)}\`: it must be true or false.`)
  }
  checkMiddleware(where, 'use', use)
  if (body !== undefined && body !== false) checkLimit(where, body)
}

function checkLimit(where: string, body: { readonly limit: number }): void {
  checkOptionNames(`\`body\` of ${lower(where)}`, body, ['limit'], 'body_invalid')
  const limit: unknown = body.limit
  if (typeof limit !== 'number') {
    throw new MisuseError('body_invalid', `The \`body\` of ${lower(where)} must be \`false\` or \`{ limit: bytes }\`.`)
  }
  if (Number.isSafeInteger(limit) && limit > 0) return
  throw new MisuseError(
    'body_limit',
    `The \`limit\` of the \`body\` of ${lower(where)} must be a whole number of bytes from 1, not ${limit}.`,
  )
}

function checkMiddleware(where: string, what: string, middleware: unknown): void {
  for (const fn of middlewareOf(middleware)) {
    if (typeof fn === 'function' && fn.length <= 3) continue
    throw new MisuseError(
      'middleware_invalid',
      `The \`${what}\` of ${lower(where)} must be middleware \`(req, res, next)\`.`,
    )
  }
}

function checkHandler(where: string, handler: unknown): void {
  if (typeof handler !== 'function') throw new MisuseError('handler_missing', `${where} has no handler.`)
  if (handler.length > 3) {
    throw new MisuseError(
      'handler_arity',
      `The handler of ${where} has ${handler.length} parameters: a handler is \`(req, res, args)\` and throws errors.`,
    )
  }
}

/** Headers that OpenAPI describes elsewhere and ignores as parameters (Parameter Object, Response Object). */
const DESCRIBED_ELSEWHERE = { request: ['accept', 'content-type', 'authorization'], response: ['content-type'] }

/** Checks the headers and statuses of an action that appear in a document only. */
function checkDocumented(where: string, { requestHeaders = {}, responseHeaders = {}, statuses = [] }: LooseSpec): void {
  checkHeaders(where, 'request', requestHeaders)
  checkHeaders(where, 'response', responseHeaders)
  const odd = statuses.find((status) => !Number.isInteger(status) || status < 200 || status > 599)
  if (odd !== undefined) {
    throw new MisuseError(
      'statuses_invalid',
      `${where} lists the status ${String(odd)}: a status is a whole number from 200 to 599.`,
    )
  }
}

function checkHeaders(where: string, kind: 'request' | 'response', headers: HeaderFields): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  names.forEach((name, index) => {
    const fault = headerFault(kind, name) ?? (names.indexOf(name) < index ? 'is declared twice' : undefined)
    if (fault !== undefined) {
      throw new MisuseError('header_invalid', `The ${kind} header \`${name}\` of ${lower(where)} ${fault}.`)
    }
  })
  const allowed = ['description', 'required', 'example', 'pattern']
  for (const [name, header] of Object.entries(headers)) {
    if (!isDescribed(header)) {
      throw new MisuseError('header_invalid',
        `The ${kind} header \`${name}\` of ${lower(where)} needs a \`description\`.`)
    }
    checkOptionNames(`The ${kind} header \`${name}\` of ${where}`, header, allowed, 'header_invalid')
  }
}

/** Names of tools that all providers of models accept. */
export const TOOL_NAME = /^[a-z_][\w-]{0,63}$/i

function checkTool(where: string, { tool = false, files, produces }: LooseSpec): void {
  if (tool === false) return
  if (files !== undefined || produces !== undefined) {
    throw toolInvalid(where, 'must be false: files are not sent to agents')
  }
  if (tool === true) return
  if (!isPlainObject(tool)) throw toolInvalid(where, 'must be true, false or { name, description }')
  checkOptionNames(`\`tool\` of ${lower(where)}`, tool, ['name', 'description'], 'tool_invalid')
  if (!isNameOr(tool.name, TOOL_NAME))
    throw toolInvalid(where, 'needs a name of 1 to 64 letters, digits, `_` and `-`, with a letter or `_` first')
  if (!['string', 'undefined'].includes(typeof tool.description)) {
    throw toolInvalid(where, 'needs a description that is a string')
  }
}

function toolInvalid(where: string, why: string): MisuseError {
  return new MisuseError('tool_invalid', `The \`tool\` of ${lower(where)} ${why}.`)
}

function isDescribed(header: unknown): boolean {
  const description = propertyOf(header, 'description')
  return typeof description === 'string' && description !== ''
}

function headerFault(kind: 'request' | 'response', name: string): string | undefined {
  if (DESCRIBED_ELSEWHERE[kind].includes(name)) return 'is part of every document and must not be declared'
  try {
    validateHeaderName(name)
    return undefined
  } catch {
    return 'is not a valid header name'
  }
}
