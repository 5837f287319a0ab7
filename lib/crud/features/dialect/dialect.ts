import { z } from 'zod'
import { extend, isListBody, MisuseError, queryToReadOf, type ChangeFields, type Reading } from '../../../core/index.js'
import { sortableFields, wireName, type AnyOptions, type CrudPlan, type CrudSpec, type Feature, type FeatureHooks,
  type Parameter } from '../../core/index.js'
import { inData, inItems, unsetter, withoutEmpty } from './empty.js'
import type { Dialect, DialectOption } from './options.js'

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
    const isWhole = Array.isArray(listArgs.ids) && !sent.some((name) => paging.includes(name))
    return {
      ...listArgs,
      ...(sort.length > 0 && { sort: sort.join(',') }),
      ...(isWhole && { limit: (listArgs.ids as readonly unknown[]).length }),
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
