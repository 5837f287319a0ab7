import { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { isThenable } from '../base/promises.js'
import { ReadList, runOf, withRun } from './read-list.js'
import { checkDefinitionOf, checkOf, checkWith, definitionOf, innerKeys, isCheck, isSchema, reaches, setCheck,
  withFunction, type CheckFunction, type Parse as Run } from './zod-schemas.js'
import { isUserCheck } from './user-functions.js'

type Schema = z.core.$ZodType
type Check = z.core.$ZodCheck

/** The guard of functions of the application: none if there are none, or that for one of the two kinds of parses. */
export type Guard = 'none' | 'synchronous' | 'asynchronous'

/**
 * Copies a schema. The copy means the same, and
 *
 * - stops reading a list, a record, a map or a set at its 50th fault: 100 kB of wrong items take 4 to 7 ms in place of
 *   32 to 250 ms;
 * - handles every promise of the application's functions, whatever else fails and whether or not zod waits for it;
 * - waits for anything that has a `then` method.
 *
 * Returns the schema itself if there is nothing to guard and no list.
 */
export function copyGuarded(schema: Schema, guard: Guard): Schema {
  return copyOf(schema, { guard, inIntersection: false })
}

interface Place {
  readonly guard: Guard
  /**
   * An intersection drops the issues of one side for a key that the other side accepts, so each side must check every
   * key.
   */
  readonly inIntersection: boolean
}

/** The functions that copy a schema, by the place of the schema. */
const copiersByPlace = new Map<string, (schema: Schema) => Schema>()

function copyOf(schema: Schema, place: Place): Schema {
  const name = `${place.guard} ${place.inIntersection}`
  const copier = copiersByPlace.get(name) ?? memoize((each: Schema) => makeCopy(each, place))
  copiersByPlace.set(name, copier)
  return copier(schema)
}

const LISTS = new Set(['array', 'record', 'map', 'set'])

function isList(schema: Schema): boolean {
  const { type, rest, catchall } = definitionOf(schema)
  return LISTS.has(type) || isSchema(rest) || isSchema(catchall)
}

function makeCopy(schema: Schema, place: Place): Schema {
  const { guard } = place
  if (guard === 'none' && !reaches(schema, isList)) return schema
  // The parser of a class of the application is unknown: only its result is guarded.
  if (innerKeys(schema) === undefined) return withRun(schema, guardCall(runOf(schema), guard))
  const list = isLimited(schema, place) ? new ReadList() : undefined
  const copy = z.core.clone(schema, copyDefinition(schema, place, list) as never)
  const parse = list === undefined ? runOf(copy) : limitRun(list, copy, guard)
  if (guard === 'none') return list === undefined ? copy : withRun(copy, parse)
  if (isCheck(copy) && isUserCheck(copy)) setCheck(copy, guardCall(checkFunctionOf(copy), guard))
  return withRun(copy, guardCall(parse, guard))
}

function limitRun(list: ReadList, copy: Schema, guard: Guard): Run {
  const { type, checks = [] } = definitionOf(copy)
  if (guard !== 'asynchronous' || type !== 'array') return list.run(runOf(copy))
  const bounds = checks.map((check) => {
    const { maximum, length } = checkDefinitionOf(check)
    return maximum ?? length
  })
  return list.runInTurns(runOf(copy), Math.min(...bounds.filter((bound) => typeof bound === 'number')))
}

function isLimited(schema: Schema, { inIntersection }: Place): boolean {
  return isList(schema) && !(inIntersection && definitionOf(schema).type === 'record')
}

function copyDefinition(schema: Schema, place: Place, list: ReadList | undefined): Record<string, unknown> {
  const { guard } = place
  const definition = definitionOf(schema)
  const { checks, transform, getter } = definition
  const inner = Object.fromEntries(
    (innerKeys(schema) ?? []).map((key) => [key, copyInner(schema, key, place, list)]),
  )
  return {
    ...definition,
    ...inner,
    ...(checks && {
      checks: checks.map((check) => (guard !== 'none' && isUserCheck(check) ? guardCheck(check, guard) : check)),
    }),
    ...(typeof transform === 'function' && {
      transform: (...args: unknown[]): unknown => awaitable(Reflect.apply(transform, undefined, args)),
    }),
    ...(typeof getter === 'function' && {
      getter: () => copyOf(Reflect.apply(getter, undefined, []) as Schema, place),
      _cachedInner: undefined,
    }),
  }
}

const CONTAINERS = new Set([...LISTS, 'object', 'tuple'])
/** The keys whose schemas read as many values as the client sends. */
const REPEATED = new Set(['element', 'keyType', 'valueType', 'rest', 'catchall'])

function copyInner(schema: Schema, key: string, place: Place, list: ReadList | undefined): unknown {
  const { type, [key]: value } = definitionOf(schema)
  const inIntersection = type === 'intersection' || (place.inIntersection && !CONTAINERS.has(type))
  // zod takes no promise where a key is read.
  const guard = key === 'keyType' && place.guard === 'asynchronous' ? 'synchronous' : place.guard
  const copy = (inner: Schema): Schema => {
    const copied = copyOf(inner, { guard, inIntersection })
    return list !== undefined && REPEATED.has(key) ? list.reader(copied) : copied
  }
  if (isSchema(value)) return copy(value)
  if (Array.isArray(value)) return value.map(copy)
  return typeof value === 'object' && value !== null ? copyShape(value, copy) : value
}

/**
 * Copies the shape of an object when it is read: a schema that contains itself is copied while its own copy is being
 * made.
 */
function copyShape(shape: object, copy: (schema: Schema) => Schema): object {
  const getters = Reflect.ownKeys(shape).map(
    (key) => [key, { enumerable: true, configurable: true, get: () => copy(fieldOf(shape, key)) }] as const,
  )
  const copied: object = Object.defineProperties({}, Object.fromEntries(getters))
  const isRecursive = Reflect.ownKeys(shape).some((key) =>
    reaches(fieldOf(shape, key), (inner) => definitionOf(inner).shape === shape)
  )
  return isRecursive ? copied : { ...copied }
}

function fieldOf(shape: object, key: PropertyKey): Schema {
  return Reflect.get(shape, key) as Schema
}

function guardCheck(check: Check, guard: Guard): Check {
  return withFunction(check, 'check', guardCall(checkFunctionOf(check), guard))
}

/**
 * Returns the function of a check; it returns a promise if the function of the application returns anything with a
 * `then` method.
 */
function checkFunctionOf(check: Check): CheckFunction {
  const { fn } = checkDefinitionOf(check)
  if (fn === undefined) return checkOf(check)
  const refuse = checkOf(checkWith(check, () => false))
  return (payload) => {
    const verdict = fn(payload.value)
    if (isThenable(verdict)) return Promise.resolve(verdict).then((fits) => (fits ? undefined : refuse(payload)))
    return verdict ? undefined : refuse(payload)
  }
}

/**
 * Guards a call that may return a promise. In an asynchronous parse a synchronous failure becomes a promise too: if it
 * were thrown, zod would abandon the promises of other calls.
 */
function guardCall<Args extends unknown[], Result>(
  call: (...args: Args) => Result,
  guard: Guard,
): (...args: Args) => Result {
  return (...args) => {
    try {
      const result = awaitable(call(...args))
      if (!(result instanceof Promise)) return result
      void handleRejection(result)
      if (guard === 'synchronous') throw new z.core.$ZodAsyncError()
      return result
    } catch (error) {
      if (guard === 'synchronous') throw error
      return handleRejection(Promise.reject(error)) as Result
    }
  }
}

function awaitable<T>(value: T): T {
  return isThenable(value) && !(value instanceof Promise) ? Promise.resolve(value) as T : value
}

/** Gives a promise a handler, so that its failure does not end the process if zod does not wait for it. */
function handleRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
