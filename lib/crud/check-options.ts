import { MisuseError } from '../errors.js'
import { wireName } from './list-input.js'
import type { LooseOptions } from './options.js'

/**
 * What is checked before anything is mounted.
 *
 * @throws MisuseError `crud_hidden` for a list by a field that does not leave, which would be an oracle; `crud_filter` for a filter that
 * says two things at once or nothing; `crud_names` for two parameters of one name; `crud_limit` for a page without bounds;
 * `crud_if_match` and `crud_version` for tags that could not be told; `crud_soft_delete` for a `softDelete` column that callers could write; `crud_tree` for
 * children that are a field already, or a row that is its own parent.
 */
export function checkOptions(options: LooseOptions, key: string, parameters: readonly string[]): void {
  checkVisible(options, key)
  checkFilters(options)
  checkNames(parameters.map((name) => wireName(name, options.paramNames ?? {})))
  checkLimit(options)
  checkVersion(options)
  checkSoftDelete(options)
  checkTree(options, key)
  checkConflicts(options)
  if (options.transform !== undefined && options.transformMany !== undefined) {
    throw new MisuseError('crud_transform', 'crud has both `transform` and `transformMany`: each makes the output of a row, so keep one.')
  }
}

function checkConflicts({ conflicts = {}, input, changes = input }: LooseOptions): void {
  const unknown = Object.entries(conflicts).find(([, { field }]) => ![input, changes].some(({ shape }) => Object.hasOwn(shape, field)))
  if (unknown === undefined) return
  const [constraint, { field }] = unknown
  throw new MisuseError('crud_conflicts', `\`conflicts.${constraint}\` names the field \`${field}\`, which \`input\` does not have.`)
}

function checkVisible({ sort = [], order = [], search = [], filters = {}, tree, output }: LooseOptions, key: string): void {
  const used = [...sort, ...search, ...Object.keys(filters), ...(tree === undefined ? [] : [tree.parent]), ...order.map((spelling) => spelling.replace(/^-/, ''))]
  const hidden = used.find((field) => field !== key && !Object.hasOwn(output.shape, field))
  if (hidden === undefined) return
  throw new MisuseError('crud_hidden', `A list by \`${hidden}\` would tell what it holds, and the output does not have it.`)
}

function checkFilters({ filters = {} }: LooseOptions): void {
  for (const [field, filter = {}] of Object.entries(filters)) {
    const kinds = [filter.eq, filter.oneOf, filter.contains].filter((kind) => kind !== undefined).length
    const stands = [filter.range, filter.ne, filter.isNull].some((kind) => kind !== undefined)
    if (kinds === 1 || (kinds === 0 && stands)) continue
    throw new MisuseError('crud_filter', `The filter of \`${field}\` has at most one of eq, oneOf and contains, and beside it or alone range, ne and isNull.`)
  }
}

function checkNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new MisuseError('crud_names', `Two parameters of the list are called \`${twice}\`.`)
}

function checkLimit({ limit = 1, maxLimit = 100 }: LooseOptions): void {
  if ([limit, maxLimit].every((rows) => Number.isSafeInteger(rows) && rows > 0) && limit <= maxLimit) return
  throw new MisuseError('crud_limit', `The limit of a page is a whole number from 1 to \`maxLimit\`, not ${limit} of ${maxLimit}.`)
}

function checkVersion({ ifMatch, version, input, changes = input }: LooseOptions): void {
  if (![undefined, 'required', 'optional'].includes(ifMatch)) {
    const advice = ifMatch === 'honoured' as unknown ? '`ifMatch: \'honoured\'` is called \'optional\' now' : '`ifMatch` of crud is \'required\' or \'optional\''
    throw new MisuseError('crud_if_match', `${advice}.`)
  }
  if (version === undefined) return
  if (ifMatch === undefined) throw new MisuseError('crud_version', '`version` is what `ifMatch` compares: say that too.')
  if ([input, changes].every(({ shape }) => !Object.hasOwn(shape, version))) return
  throw new MisuseError('crud_version', `The column \`${version}\` counts the versions of a row, and is nothing for \`input\` or \`changes\` to write.`)
}

function checkSoftDelete({ softDelete, input, changes }: LooseOptions): void {
  if (softDelete === undefined || ![input, changes].some((schema) => schema !== undefined && Object.hasOwn(schema.shape, softDelete.field))) return
  throw new MisuseError('crud_soft_delete', `\`${softDelete.field}\` marks soft-deleted rows: only \`delete\` and \`restore\` write it, so \`input\` and \`changes\` cannot have it.`)
}

function checkTree({ tree, output }: LooseOptions, key: string): void {
  if (tree === undefined) return
  if (Object.hasOwn(output.shape, 'children')) throw new MisuseError('crud_tree', 'The output has a field `children`, which is where a tree stands.')
  if (tree.parent === key) throw new MisuseError('crud_tree', `\`${key}\` is the key: the parent stands in a field of its own.`)
}
