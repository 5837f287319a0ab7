import { z } from 'zod'
import { MisuseError, type MisuseCode } from '../errors.js'
import { checkOptionNames } from '../options.js'
import { isActionName } from './actions.js'
import { checkRules } from '../validate/rules.js'
import { isPlainObject } from '../validate/plain-data.js'
import { checkDocumented } from './check-documented.js'
import type { Group, LooseAction, LooseSpec, Traits } from './declaration.js'

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
const DOTTED_NAME = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$/

const TRAITS = ['summary', 'description', 'tags', 'doc', 'deprecated', 'meta', 'examples', 'auth', 'can', 'use', 'body']
const GROUP_KEYS = [...TRAITS, 'app', 'guards', 'route', 'name', 'singular']
const ACTION_KEYS = [...TRAITS, 'status', 'message', 'produces', 'requestHeaders', 'responseHeaders', 'statuses', 'input', 'query', 'output', 'files', 'handler']
const CUSTOM_KEYS = [...ACTION_KEYS, 'methods', 'route']

/** Checks a group of routes before any is mounted; `where` begins each sentence, `more` names options of the caller. */
export function checkGroup(where: string, group: Group, more: readonly string[]): void {
  checkOptionNames(where, group, [...GROUP_KEYS, ...more])
  if (group.app !== undefined && !NAME.test(group.app)) throw badName('app_invalid', where, 'app', group.app)
  if (group.name !== undefined && !DOTTED_NAME.test(group.name)) throw badName('name_invalid', where, 'name', group.name)
  if (group.singular !== undefined && !NAME.test(group.singular)) throw badName('name_invalid', where, 'singular', group.singular)
  checkMiddleware(where, 'guards', group.guards)
  checkTraits(where, group)
}

/** What is checked of one action. */
export function checkAction(where: string, name: string, spec: LooseSpec): void {
  checkOptionNames(where, spec, isActionName(name) ? ACTION_KEYS : CUSTOM_KEYS)
  if (!NAME.test(name)) throw badName('action_invalid', where, 'action', name)
  checkTraits(where, spec)
  checkHandler(where, spec.handler)
  checkInput(where, 'input', spec.input)
  checkInput(where, 'query', spec.query)
  checkSchema(where, 'output', spec.output, () => true)
  checkDocumented(where, spec)
  const { status = 200 } = spec
  if (!Number.isInteger(status) || status < 200 || status > 299) {
    throw new MisuseError('status_invalid', `${where} declares the status ${status}; a success has one from 200 to 299.`)
  }
}

/** @throws MisuseError `action_unknown`, with the names there are. */
export function checkActionNames(where: string, names: readonly string[], known: readonly string[]): void {
  for (const name of names) {
    if (isActionName(name)) continue
    throw new MisuseError('action_unknown', `${where} names the action \`${name}\`; there are ${known.join(', ')}. Others stand under \`custom\`.`)
  }
}

/** An action as a spec: a bare handler is one without options. */
export function toSpec(action: LooseAction): LooseSpec {
  return typeof action === 'function' ? { handler: action } : action
}

/** The middleware of `use` or `guards`, as a list. */
export function middlewareOf<T>(one: T | readonly T[] | undefined): readonly T[] {
  return one === undefined ? [] : Array.isArray(one) ? (one as readonly T[]) : [one as T]
}

function badName(code: MisuseCode, where: string, what: string, name: string): MisuseError {
  const rule = 'begins with a letter and goes on with letters, digits, `_` and `-`'
  return new MisuseError(code, `${where} has the ${what} \`${name}\`; a name ${rule}${what === 'name' ? ', and dots may join several' : ''}.`)
}

function checkTraits(where: string, { auth, can, use, body, examples }: Traits): void {
  if (examples !== undefined && !isPlainObject(examples)) {
    throw new MisuseError('examples_invalid', `The \`examples\` of ${lower(where)} are an object with a value for each argument: { id: 7 }.`)
  }
  const markers: readonly unknown[] = [undefined, true, false]
  if (![...markers, 'optional'].includes(auth)) {
    throw new MisuseError('auth_invalid', `${where} says \`auth: ${String(auth)}\`; it is true, false or 'optional'.`)
  }
  if (!markers.includes(can)) throw new MisuseError('can_invalid', `${where} says \`can: ${String(can)}\`; it is true or false.`)
  checkMiddleware(where, 'use', use)
  if (body !== undefined && body !== false) checkLimit(where, body)
}

function checkLimit(where: string, body: { readonly limit: number }): void {
  checkOptionNames(`\`body\` of ${lower(where)}`, body, ['limit'], {}, 'body_invalid')
  const { limit } = body
  if (Number.isSafeInteger(limit) && limit > 0) return
  throw new MisuseError('body_invalid', `${where} says how its body is read with \`false\` or \`{ limit: bytes }\`.`)
}

/** Lets a sentence go on with what began another. */
export function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

function checkMiddleware(where: string, what: string, middleware: unknown): void {
  for (const one of middlewareOf(middleware)) {
    if (typeof one === 'function' && one.length <= 3) continue
    throw new MisuseError('middleware_invalid', `${where} has something in \`${what}\` that is no middleware \`(req, res, next)\`.`)
  }
}

function checkHandler(where: string, handler: unknown): void {
  if (typeof handler !== 'function') throw new MisuseError('handler_missing', `${where} has no handler.`)
  if (handler.length > 3) {
    throw new MisuseError('handler_arity', `The handler of ${where} takes ${handler.length} parameters; a handler is \`(req, res, args)\`, and errors are thrown.`)
  }
}

function checkInput(where: string, what: 'input' | 'query', input: unknown): void {
  if (isPlainObject(input) && Object.keys(input).length > 0) checkRules(input, `The \`${what}\` of ${where}: `)
  else checkSchema(where, what, input, isObjectSchema)
}

type SchemaOption = 'input' | 'query' | 'output'

function checkSchema(where: string, what: SchemaOption, schema: unknown, fits: (schema: z.ZodType) => boolean): void {
  if (schema === undefined || (schema instanceof z.ZodType && fits(schema))) return
  const kind = what === 'output' ? 'a zod schema' : 'a `z.object`, a union of such, or an object with a list of rules for each field'
  throw new MisuseError(`${what}_invalid`, `The \`${what}\` of ${where} is not ${kind}.`)
}

function isObjectSchema(schema: unknown): boolean {
  if (schema instanceof z.ZodObject) return true
  if (schema instanceof z.ZodUnion) return schema.options.every(isObjectSchema)
  if (schema instanceof z.ZodPipe) return isObjectSchema(schema.in)
  if (schema instanceof z.ZodIntersection) return isObjectSchema(schema.def.left) && isObjectSchema(schema.def.right)
  return schema instanceof z.ZodLazy && isObjectSchema(schema.unwrap())
}
