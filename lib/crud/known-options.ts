import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { LooseOptions } from './options.js'

const OPTIONS = [
  'input', 'changes', 'output', 'transform', 'transformMany', 'id', 'sort', 'order', 'search', 'filters', 'customFilters', 'limit', 'maxLimit', 'total',
  'cursor', 'cursorSecret', 'headers', 'paramNames', 'unknownParams', 'fields', 'scope',
  'ifMatch', 'version', 'softDelete', 'tree', 'check', 'before', 'after', 'afterCommit',
  'conflicts', 'custom', 'perAction', 'parent', 'idempotency', 'bulk', 'export', 'import', 'deadline',
]

/** Names of an earlier version, each with the name that replaced it. */
const RENAMED: Readonly<Record<string, string>> = {
  trash: 'softDelete', ownFilters: 'customFilters', names: 'paramNames', max: 'maxLimit', committed: 'afterCommit',
}
const RENAMED_ACTIONS = { trash: 'purge' }

/** The options that are objects, each with the names it knows. */
const NESTED: Readonly<Record<string, readonly string[]>> = {
  softDelete: ['field', 'unique', 'allows'],
  tree: ['parent', 'depth', 'size', 'onDelete'],
  export: ['columns', 'maxRows', 'fileName', 'delimiter'],
  import: ['columns', 'maxRows', 'maxBytes', 'partial', 'deadline', 'logEvery'],
  idempotency: ['keys', 'seconds', 'required', 'identity'],
}
const FILTER = ['eq', 'oneOf', 'contains', 'range', 'ne', 'isNull']
const FIELD = ['read', 'write']
const CONFLICT = ['field', 'message']
const METADATA = ['auth', 'can', 'deprecated', 'description', 'doc', 'examples', 'meta', 'summary', 'tags']
const PARAMETERS = ['page', 'limit', 'search', 'sort', 'cursor', 'ids', 'deleted', 'tree']
const WRITING = ['create', 'edit', 'store', 'delete']

/**
 * Checks the names of all options, the nested ones included.
 *
 * @throws MisuseError `crud_option_unknown` for a name that crud does not know, with the names there are; `options_shape` for what is no object.
 */
export function checkKnown(options: LooseOptions): void {
  checkNames('crud', options, OPTIONS, RENAMED)
  for (const [option, names] of Object.entries(NESTED)) {
    const value: unknown = options[option as keyof LooseOptions]
    if (value !== undefined && !(value === true && (option === 'export' || option === 'import'))) checkNames(`\`${option}\``, value, names)
  }
  if (options.scope !== undefined && typeof options.scope !== 'function') checkNames('`scope`', options.scope, ['list'])
  checkEach('filters', options.filters, FILTER)
  checkEach('fields', options.fields, FIELD)
  checkNames('`fields`', options.fields ?? {}, declaredFields(options))
  checkEach('perAction', options.perAction, METADATA)
  checkEach('conflicts', options.conflicts, CONFLICT)
  checkNames('`paramNames`', options.paramNames ?? {}, PARAMETERS, { trashed: 'deleted' })
  checkHooks(options)
  checkBulk(options.bulk)
}

/** Names the fields that a rule can apply to: one for a misspelt field would protect nothing. */
function declaredFields({ input, changes = input, output }: LooseOptions): string[] {
  return [...new Set([input, changes, output].flatMap(({ shape }) => Object.keys(shape)))]
}

function checkEach(option: string, value: object = {}, names: readonly string[]): void {
  for (const [name, nested] of Object.entries(value)) {
    if (nested !== undefined) checkNames(`\`${option}.${name}\``, nested, names)
  }
}

/** Checks that each hook belongs to an action that there is: one that never runs is a rule that is never applied. */
function checkHooks({ before = {}, after = {}, afterCommit = {}, softDelete }: LooseOptions): void {
  const writing = softDelete === undefined ? WRITING : [...WRITING, 'restore', 'purge']
  checkNames('`before`', before, ['list', 'show', ...writing], RENAMED_ACTIONS)
  checkNames('`after`', after, ['list', 'show', ...writing], RENAMED_ACTIONS)
  checkNames('`afterCommit`', afterCommit, writing, RENAMED_ACTIONS)
}

function checkBulk(bulk: LooseOptions['bulk']): void {
  if (bulk === undefined || bulk === true) return
  const names = ['createMany', 'updateMany']
  if (Array.isArray(bulk) && bulk.every((name: string) => names.includes(name))) return
  throw new MisuseError('crud_option_unknown', 'The option `bulk` of crud is `true` or a list of \'createMany\' and \'updateMany\'.')
}

function checkNames(where: string, value: unknown, names: readonly string[], renamed: Readonly<Record<string, string>> = {}): void {
  checkOptionNames(where === 'crud' ? where : `${where} of crud`, value, names, renamed, 'crud_option_unknown')
}
