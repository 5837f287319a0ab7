import type { Request } from 'express'
import { z } from 'zod'
import { bodyFieldsToReadOf } from '../body/fields.js'
import { queryToReadOf } from '../request-param/query.js'
import { chain, isThenable } from '../thenable.js'
import { toValidationError } from '../validate/parse.js'
import { emptyMap, FieldMap, type PlainMap } from '../validate/plain-data.js'
import { parserOf, Refused } from './parse.js'
import { pathReader } from './path-args.js'

/** A refusal that is known at once is handed back as a value. */
export type ArgsReader = (req: Request) => object | Refused | PromiseLike<object>

export interface ArgsPlan {
  readonly method: string
  /** The names in the route's own path. */
  readonly pathNames: readonly string[]
  /** Whether the route's router hands on the arguments of its parent's path. */
  readonly mergesParams: boolean
  readonly input: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  /** Whether the body's fields are there to be read. */
  readonly hasBody: boolean
  /** Whether only keys that were sent count, so that no default is written over what is stored. */
  readonly partial: boolean
}

/** Methods whose `input` reads the query: a body has no meaning there (RFC 9110 §9.3.1, §9.3.5). */
const QUERY_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/**
 * Reads the arguments of a handler: the path's, and over them what `input` and `query` make of a request.
 *
 * A path argument comes from the path alone, whatever query or body say; one that no schema declares stays text.
 */
export function argsReader({ method, pathNames, mergesParams, input, query, hasBody, partial }: ArgsPlan): ArgsReader {
  const pathOf = pathReader(pathNames, mergesParams)
  const ofInput = QUERY_METHODS.has(method) ? queryToReadOf : hasBody ? bodyFieldsToReadOf : noFields
  const readInput = input === undefined ? undefined : schemaReader(input, ofInput, pathNames, partial)
  const readQuery = query === undefined ? undefined : schemaReader(query, queryToReadOf, pathNames, false)
  const isWhole = !mergesParams && readQuery === undefined && input instanceof z.ZodObject && pathNames.every((name) => Object.hasOwn(input.shape, name))
  // What schemas made goes over the path's text; most often they have read all of it, and there is nothing to join.
  const join = (path: FieldMap, asked: object | undefined, fields: object | undefined): object =>
    fields instanceof Refused || (isWhole && fields !== undefined) ? fields : Object.assign({}, path, asked, fields)
  return (req) => {
    const path = pathOf(req)
    if (readInput === undefined && readQuery === undefined) return path
    const asked = readQuery?.(req, path)
    if (asked instanceof Refused) return asked
    if (isThenable(asked)) return asked.then((settled) => chain(readInput?.(req, path), (fields) => join(path, settled, unlessRefused(fields))))
    const fields = readInput?.(req, path)
    return isThenable(fields) ? fields.then((settled) => join(path, asked, settled)) : join(path, asked, fields)
  }
}

/** Inside a promise a refusal is a rejection. */
function unlessRefused(fields: object | undefined): object | undefined {
  if (fields instanceof Refused) throw fields.error
  return fields
}

const noFields: FieldsReader = () => emptyMap()

type FieldsReader = (req: Request) => Readonly<PlainMap>

function schemaReader(schema: z.ZodType, fieldsOf: FieldsReader, pathNames: readonly string[], partial: boolean) {
  const takes = pathTaker(schema)
  const parser = parserOf(schema)
  const known = schema instanceof z.ZodObject ? schema.shape : {}
  return (req: Request, path: FieldMap): object | PromiseLike<object> => {
    const sent = fieldsOf(req)
    const fields = pathNames.length === 0 && isEmpty(path) ? sent : joinPath(sent, path, pathNames, takes)
    const parsed = parser(fields, toValidationError) as object | PromiseLike<object>
    return partial && !(parsed instanceof Refused) ? chain(parsed, (all) => sentOnly(all, fields, known)) : parsed
  }
}

function isEmpty(path: FieldMap): boolean {
  for (const _name in path) return false
  return true
}

function joinPath(sent: Readonly<PlainMap>, path: FieldMap, pathNames: readonly string[], takes: (name: string) => boolean): FieldMap {
  // A declared `constructor` must come from the caller or not at all.
  const fields = new FieldMap()
  for (const name in sent) {
    if (!(name in path) && !pathNames.includes(name)) fields[name] = sent[name]
  }
  for (const name in path) {
    if (takes(name)) fields[name] = path[name]
  }
  return fields
}

/** A strict object would refuse a path argument that it does not declare. */
function pathTaker(schema: z.ZodType): (name: string) => boolean {
  if (!(schema instanceof z.ZodObject) || !(schema.def.catchall instanceof z.ZodNever)) return () => true
  return (name) => Object.hasOwn(schema.shape, name)
}

function sentOnly(all: object, sent: Readonly<PlainMap>, declared: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !Object.hasOwn(declared, key) || Object.hasOwn(sent, key)))
}
