import { z } from 'zod'
import { acceptsNull, elementSchemasOf, emptyMap, extend, isList, isListBody, isMap, mayBeMissing, MisuseError,
  queryToReadOf, type ChangeFields, type PlainMap, type Reading } from '../../../core/index.js'
import { shapeOf, sortableFields, wireName, type AnyOptions, type CrudPlan, type CrudSpec, type Feature,
  type FeatureHooks, type Parameter } from '../../core/index.js'

/**
 * The parameters and bodies of a client that cannot be changed. Other parts of requests and all replies are unaffected.
 *
 * @example
 * const dialect: Dialect = { paramNames: { limit: 'size', search: 'q' }, sorter: (field) => `order_${field}` }
 */
export interface Dialect {
  /** The names of parameters of the list, by their own names: `{ limit: 'pageSize' }`. @default their own names */
  readonly paramNames?: Readonly<Record<string, string>> | undefined
  /**
   * Returns the name of the parameter that sorts by a field, whose value is `asc` or `desc`.
   *
   * @default one parameter `sort` for all fields
   */
  readonly sorter?: ((field: string) => string) | undefined
  /**
   * True if an empty string in a query, or as a field of a body, means that there is no value: a field becomes null
   * where it accepts null, otherwise it is left out where it may be.
   *
   * @default false
   */
  readonly emptyIsUnset?: boolean | undefined
  /** True if `create` accepts a list as well, of a resource that has `createMany` by `bulk`. @default false */
  readonly listCreates?: boolean | undefined
}

export interface DialectOption {
  /** Accepts the requests of another client: `dux` of `resourcery/dux`, or your own dialect. @default none */
  readonly dialect?: Dialect | undefined
}

interface Settings extends Dialect {
  /** The fields that a caller may sort by, by the names of their parameters. */
  readonly sorters: ReadonlyMap<string, string>
}

/** Accepts the requests of a client with another dialect. */
export const dialect: Feature<DialectOption, Settings> = {
  options: { dialect: { names: ['paramNames', 'sorter', 'emptyIsUnset', 'listCreates'] } },
  settingsOf(options, key) {
    const { dialect: spoken } = options
    if (spoken === undefined) return undefined
    checkSorter(spoken, options)
    const { sorter } = spoken
    const sorters = sorter && sortableFields(options, key).map((field) => [sorter(field), field] as const)
    return { ...spoken, sorters: new Map(sorters) }
  },
  changeOptions: (options, { paramNames }) => ({ ...options, paramNames: { ...paramNames, ...options.paramNames } }),
  changeParameters(parameters, { sorter, sorters }) {
    if (sorter === undefined) return parameters
    return parameters.flatMap((parameter) => (parameter.name === 'sort' ? sorterParameters(sorters) : [parameter]))
  },
  install(plan, settings) {
    const { paramNames = {} } = plan.options
    const kept = WITH_MEANING.map((name) => wireName(name, paramNames))
    const cleanQuery = settings.emptyIsUnset === true ? withoutEmpty(kept) : undefined
    return {
      readParameters: parametersReader(plan, settings, cleanQuery),
      wrapAction: actionWrapper(plan, settings, cleanQuery),
    }
  },
}

/** The parameters whose empty string has a meaning: the first page by cursor, and no ids, which are refused. */
const WITH_MEANING = ['cursor', 'ids']

/** @throws MisuseError `crud_dialect` for a `sorter` that is no function, and for a name of the `sort` it replaces. */
function checkSorter({ sorter }: Dialect, { paramNames }: AnyOptions): void {
  if (sorter === undefined) return
  if (typeof sorter !== 'function') {
    throw new MisuseError(
      'crud_dialect',
      '`dialect.sorter` of crud must be a function that returns the name of a parameter for a field.',
    )
  }
  if (paramNames?.sort === undefined) return
  throw new MisuseError(
    'crud_dialect',
    '`paramNames.sort` of crud names a parameter that `dialect.sorter` replaces by one for each field: remove it.',
  )
}

function sorterParameters(sorters: Settings['sorters']): Parameter[] {
  return [...sorters].map(([name, field]) => ({
    name,
    field,
    schema: z.enum(['asc', 'desc']).optional().describe(`Sorts by \`${field}\`; of several sorters the first decides`),
    selectsRows: true,
  }))
}

/**
 * Returns a function that makes `sort` of the sorters, in the order of the query, and one page of all rows that are
 * asked for by their ids without paging.
 */
function parametersReader(
  { options: { paramNames = {} } }: CrudPlan,
  { sorters }: Settings,
  cleanQuery: ChangeFields = (fields) => fields,
): NonNullable<FeatureHooks['readParameters']> {
  const paging = ['page', 'limit', 'cursor'].map((name) => wireName(name, paramNames))
  return ({ req }, listArgs) => {
    const sent = Object.keys(cleanQuery(queryToReadOf(req)))
    const sort = sent.flatMap((name) => {
      const field = sorters.get(name)
      return field === undefined ? [] : [listArgs[name] === 'desc' ? `-${field}` : field]
    })
    const { ids } = listArgs
    const isWhole = isList(ids) && !sent.some((name) => paging.includes(name))
    return {
      ...listArgs,
      ...(sort.length > 0 && { sort: sort.join(',') }),
      ...(isWhole && { limit: ids.length }),
    }
  }
}

/** Returns changes of actions: they read empty strings as no values, and `create` reads lists. */
function actionWrapper(
  { schemas }: CrudPlan,
  { emptyIsUnset = false, listCreates = false }: Settings,
  query: ChangeFields | undefined,
): NonNullable<FeatureHooks['wrapAction']> {
  let createMany: CrudSpec | undefined
  const bodyChange = (input: CrudSpec['input'], name: string): ChangeFields | undefined => {
    if (!emptyIsUnset || !(input instanceof z.ZodObject)) return undefined
    if (name === 'createMany') return inItems(unsetter(schemas.create, false))
    return name === 'updateMany' ? inData(unsetter(schemas.store, true)) : unsetter(input, name === 'store')
  }
  return (spec, name) => {
    const read: Reading = { query, body: bodyChange(spec.input, name) }
    if (name === 'createMany') createMany = extend(spec, { reading: read })
    if (name !== 'create' || !listCreates || createMany === undefined) return extend(spec, { reading: read })
    return readingLists(spec, createMany, read)
  }
}

/** Returns `create` as it reads a list too: as `createMany` does. */
function readingLists(one: CrudSpec, many: CrudSpec, read: Reading): CrudSpec {
  const list = { input: many.input as z.ZodType, body: many.extension?.parts.reading?.body }
  const spec: CrudSpec = {
    ...one,
    output: z.union([one.output, many.output] as [z.ZodType, z.ZodType]),
    handler: (call, args) => (isListBody(call.req) ? many : one).handler(call, args),
  }
  return extend(spec, { reading: { ...read, list } })
}

/** Returns a function that leaves out empty strings, apart from those of some names. */
function withoutEmpty(kept: readonly string[]): ChangeFields {
  return (fields) => replaceEmpty(fields, (name) => (kept.includes(name) ? '' : undefined))
}

/**
 * Returns a function that replaces the empty strings among the fields of an object: by null where a field accepts null,
 * otherwise they are left out where a field may be.
 *
 * A partial update does not change a field that is left out. There an empty string that cannot be null stays, and its
 * schema accepts or refuses it. The children in a list are read in the same way.
 */
function unsetter(object: z.ZodObject, partial: boolean): ChangeFields {
  const replacements = new Map<string, Replacement>()
  const lists = new Map<string, ChangeElement>()
  for (const [name, schema] of Object.entries(shapeOf(object))) {
    const isOptional = !partial && mayBeMissing(schema)
    replacements.set(name, acceptsNull(schema) ? null : isOptional ? undefined : '')
    const elements = elementSchemasOf(schema)
    if (elements !== undefined) lists.set(name, elementUnsetter(...elements))
  }
  return (fields) =>
    inLists(replaceEmpty(fields, (name) => (replacements.has(name) ? replacements.get(name) : '')), lists)
}

type ChangeElement = (element: unknown) => unknown

/** Returns a function that does the same with an element of a list of children. */
function elementUnsetter(created: z.ZodObject, change: z.ZodObject): ChangeElement {
  const [unsetNew, unsetChange] = [unsetter(created, false), unsetter(change, true)]
  return (element) => (isMap(element) ? (element.id === undefined ? unsetNew : unsetChange)(element) : element)
}

/** Returns fields with lists whose elements are changed. */
function inLists(fields: Readonly<PlainMap>, lists: ReadonlyMap<string, ChangeElement>): Readonly<PlainMap> {
  const sent = [...lists].filter(([name]) => isList(fields[name]))
  if (sent.length === 0) return fields
  return copyOf({
    ...fields,
    ...Object.fromEntries(sent.map(([name, change]) => [name, (fields[name] as readonly unknown[]).map(change)])),
  })
}

/** Returns a function that changes each item of the list `items`. */
function inItems(change: ChangeFields): ChangeFields {
  const lists = new Map([['items', (item: unknown) => (isMap(item) ? change(item) : item)]])
  return (fields) => inLists(fields, lists)
}

/** Returns a function that changes the object in the field `data`. */
function inData(change: ChangeFields): ChangeFields {
  return (fields) => (isMap(fields.data) ? copyOf({ ...fields, data: change(fields.data) }) : fields)
}

/** The replacement of an empty string; `undefined` omits the field. */
type Replacement = '' | null | undefined

function replaceEmpty(fields: Readonly<PlainMap>, by: (name: string) => Replacement): Readonly<PlainMap> {
  const names = Object.keys(fields).filter((name) => fields[name] === '' && by(name) !== '')
  if (names.length === 0) return fields
  const copy = copyOf(fields)
  for (const name of names) {
    const replacement = by(name)
    if (replacement === undefined) Reflect.deleteProperty(copy, name)
    else copy[name] = replacement
  }
  return copy
}

/** Returns a copy without a prototype, as fields are. */
function copyOf(fields: Readonly<PlainMap>): PlainMap {
  return Object.assign(emptyMap(), fields)
}
