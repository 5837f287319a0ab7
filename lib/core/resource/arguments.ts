import type { Request } from 'express'
import { z } from 'zod'
import { isForm } from '../request/content.js'
import { bodyFieldsToReadOf, isListBody, listFieldsOf } from '../request/fields.js'
import { emptyMap } from '../base/guards.js'
import { chain, isThenable } from '../base/promises.js'
import { RequestParam } from '../request-param/request-param.js'
import { queryToReadOf } from '../request/query.js'
import { pathNamesOf } from '../routing/path.js'
import type { ChangeFields, MountedRoute, Reading } from '../routing/registry.js'
import { stateOf } from '../routing/request-state.js'
import { ruleOf } from '../validate/compile-rules.js'
import { isIdList } from '../validate/param.js'
import { parserOf, Refused, toValidationError } from '../validate/parse.js'
import { FieldMap, type PlainMap } from '../validate/plain-data.js'
import { definitionOf, isSchema } from '../validate/zod-schemas.js'

/** Reads the arguments of a handler; a synchronous refusal is returned as a value. */
export type ArgumentsReader = (req: Request) => object | Refused | PromiseLike<object>

/** Methods whose `input` reads the query, since their body has no meaning (RFC 9110 §9.3.1, §9.3.5). */
export const QUERY_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/**
 * Returns a function that reads the arguments of a handler: those of the path, and over them the output of `input` and
 * `query`.
 *
 * A path argument comes from the path only, whatever query or body contain; one that no schema declares stays a string.
 *
 * @param mergesParams true if the route's router receives the arguments of its parent's path
 */
export function argumentsReader(
  { method, path: ownPath, action, input, query, readsBody, reading = {} }: MountedRoute,
  mergesParams: boolean,
): ArgumentsReader {
  const pathNames = pathNamesOf(ownPath)
  const pathOf = pathReader(pathNames, mergesParams)
  const ofQuery = withChange(queryToReadOf, reading.query)
  const ofInput = QUERY_METHODS.has(method)
    ? withLists(withoutCredentials(ofQuery, input), listsOf(input))
    : readsBody
    ? withLists(withChange(bodyFieldsToReadOf, reading.body), listsOf(input), isForm)
    : noFields
  // Of a partial update only keys that were sent count, so that no default overwrites a stored value.
  const readAll = input && schemaReader(input, ofInput, pathNames, action === 'store')
  const readInput = ofInput === queryToReadOf ? pathOnlyReader(input, readAll, pathNames) : readAll
  const readQuery = query
    && schemaReader(query, withLists(withoutCredentials(ofQuery, query), listsOf(query)), pathNames, false)
  const readList = listReader(reading.list, pathNames)
  const readsWholePath = !mergesParams
    && readQuery === undefined
    && input instanceof z.ZodObject
    && pathNames.every((name) => Object.hasOwn(input.shape, name))
  // Parsed fields replace the strings of the path. Usually `input` has parsed all of them, and nothing is joined.
  const join = (path: FieldMap, queryFields: object | undefined, fields: object | undefined): object =>
    fields instanceof Refused || (readsWholePath && fields !== undefined)
      ? fields
      : Object.assign({}, path, queryFields, fields)
  return (req) => {
    const path = pathOf(req)
    if (readList !== undefined && isListBody(req)) {
      return chain(readList(req, path), (fields) => join(path, undefined, fields))
    }
    if (readInput === undefined && readQuery === undefined) return path
    const queryFields = readQuery?.(req, path)
    if (queryFields instanceof Refused) return queryFields
    if (isThenable(queryFields)) {
      return queryFields.then(
        (settled) => chain(readInput?.(req, path), (fields) => join(path, settled, unlessRefused(fields))),
      )
    }
    const fields = readInput?.(req, path)
    return isThenable(fields)
      ? fields.then((settled) => join(path, queryFields, settled))
      : join(path, queryFields, fields)
  }
}

/** @throws the error of a refusal, which rejects the promise around it */
function unlessRefused(fields: object | undefined): object | undefined {
  if (fields instanceof Refused) throw fields.error
  return fields
}

const noFields: FieldsReader = () => emptyMap()

type FieldsReader = (req: Request) => Readonly<PlainMap>

function withChange(fieldsOf: FieldsReader, change: ChangeFields | undefined): FieldsReader {
  return change === undefined ? fieldsOf : (req) => change(fieldsOf(req))
}

/** Leaves out credentials in the query, which a strict object would refuse unless it declares them. */
function withoutCredentials(fieldsOf: FieldsReader, schema: z.ZodType | undefined): FieldsReader {
  if (schema === undefined || !isStrict(schema)) return fieldsOf
  const takes = pathFilter(schema)
  return (req) => {
    const fields = fieldsOf(req)
    const credentials = stateOf(req).credentialsInQuery.filter((name) => name in fields && !takes(name))
    if (credentials.length === 0) return fields
    const rest = Object.entries(fields).filter(([name]) => !credentials.includes(name))
    return Object.assign(new FieldMap(), Object.fromEntries(rest))
  }
}

/** Tests if a value is a single item where a schema expects a list. */
type IsItem = (value: unknown) => boolean

const isText: IsItem = (value) => typeof value === 'string'
/** Rules read a blank as no value. */
const isFilledText: IsItem = (value) => typeof value === 'string' && value.trim() !== ''

function listsOf(schema: z.ZodType | undefined): (readonly [name: string, isItem: IsItem])[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).filter(([, field]) => isList(field)).map(
    ([name, field]) => [name, isRuled(field) ? isFilledText : isText],
  )
}

function isList(schema: unknown): boolean {
  if (!isSchema(schema) || isIdList(schema)) return false
  const { type, innerType, in: first, out: second } = definitionOf(schema)
  return type === 'array' || isList(innerType ?? (isRuled(schema) ? second : first))
}

/** Returns true for a field of rules, which checks first if a value was sent; it may be the one of a partial update. */
function isRuled(schema: unknown): boolean {
  return isSchema(schema) && (ruleOf(schema) !== undefined || isRuled(definitionOf(schema).innerType))
}

/** Reads a single string of a query or a form as a list of one item, where the schema expects a list. */
function withLists(
  fieldsOf: FieldsReader,
  lists: ReturnType<typeof listsOf>,
  applies = (_req: Request) => true,
): FieldsReader {
  if (lists.length === 0) return fieldsOf
  return (req) => {
    const fields = fieldsOf(req)
    const single = lists.filter(([name, isItem]) => isItem(fields[name]))
    if (single.length === 0 || !applies(req)) return fields
    return Object.assign(new FieldMap(), fields, Object.fromEntries(single.map(([name]) => [name, [fields[name]]])))
  }
}

function listReader(list: Reading['list'], pathNames: readonly string[]): SchemaReader | undefined {
  return list && schemaReader(list.input, withChange(listFieldsOf, list.body), pathNames, false)
}

/** Returns a function that reads the path arguments of a route as strings. It throws a ValidationError for NUL. */
function pathReader(names: readonly string[], mergesParams: boolean): (req: Request) => FieldMap {
  const all = (req: Request): FieldMap => Object.assign(new FieldMap(), RequestParam.params(req))
  // The names of a parent's arguments are not known in advance.
  if (mergesParams) return all
  return (req) => {
    const args = new FieldMap()
    for (const name of names) {
      const text: unknown = req.params[name]
      if (typeof text !== 'string' || text.includes('\0')) return all(req)
      args[name] = text
    }
    return args
  }
}

type SchemaReader = ReturnType<typeof schemaReader>

/**
 * Returns a quicker reader if all fields of a schema are path arguments; otherwise, and for a request with a query,
 * `readAll` is used, which refuses a query that cannot be read.
 */
function pathOnlyReader(
  schema: z.ZodType | undefined,
  readAll: SchemaReader | undefined,
  pathNames: readonly string[],
): SchemaReader | undefined {
  if (readAll === undefined || !(schema instanceof z.ZodObject) || schema.def.catchall !== undefined) return readAll
  if (!Object.keys(schema.shape).every((name) => pathNames.includes(name))) return readAll
  const parser = parserOf(schema)
  return (req, path) =>
    req.url.includes('?') ? readAll(req, path) : parser(path, toValidationError) as object | PromiseLike<object>
}

function schemaReader(schema: z.ZodType, fieldsOf: FieldsReader, pathNames: readonly string[], partial: boolean) {
  const takes = pathFilter(schema)
  const parser = parserOf(schema)
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  return (req: Request, path: FieldMap): object | PromiseLike<object> => {
    const sent = fieldsOf(req)
    const fields = pathNames.length === 0 && isEmpty(path) ? sent : joinPath(sent, path, pathNames, takes)
    const parsed = parser(fields, toValidationError) as object | PromiseLike<object>
    return partial && !(parsed instanceof Refused) ? chain(parsed, (all) => keepSent(all, fields, shape)) : parsed
  }
}

function isEmpty(path: FieldMap): boolean {
  for (const _name in path) return false
  return true
}

function joinPath(
  sent: Readonly<PlainMap>,
  path: FieldMap,
  pathNames: readonly string[],
  takes: (name: string) => boolean,
): FieldMap {
  // A FieldMap inherits nothing: a field named `constructor` exists only if it was sent.
  const fields = new FieldMap()
  for (const name in sent) {
    if (!(name in path) && !pathNames.includes(name)) fields[name] = sent[name]
  }
  for (const name in path) {
    if (takes(name)) fields[name] = path[name]
  }
  return fields
}

/**
 * Returns a function that tests if a schema accepts a path argument: a strict object refuses those it does not
 * declare.
 */
function pathFilter(schema: z.ZodType): (name: string) => boolean {
  return isStrict(schema) ? (name) => Object.hasOwn(schema.shape, name) : () => true
}

function isStrict(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever
}

/** Removes declared fields that were not sent, such as defaults. */
function keepSent(all: object, sent: Readonly<PlainMap>, declared: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(all).filter(([key]) => !Object.hasOwn(declared, key) || Object.hasOwn(sent, key)),
  )
}
