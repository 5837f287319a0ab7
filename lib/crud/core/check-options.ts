import { checkOptionNames, firstRepeated, GROUP_KEYS, MisuseError, OBJECT, propertyOf } from '../../core/index.js'
import type { Feature, OptionShape } from './feature.js'
import { checkFieldRules, checkFilterForms, checkFilterObjects, checkForm, checkForms, CORE_OPTIONS, FILTER_KINDS,
  FUNCTION } from './option-forms.js'
import { METADATA } from './options.js'
import { CORE_PARAMETERS, fieldOf } from './list-parameters.js'
import { merge, type AnyOptions } from './any-resource.js'

type Renamed = Readonly<Record<string, string>>

/** Names of an earlier version, each with the name that replaced it. */
const RENAMED: Renamed = { ownFilters: 'customFilters', names: 'paramNames', max: 'maxLimit', committed: 'afterCommit' }

/** Options of `mountResource`, which are written beside those that `crud` returns. */
const OF_RESOURCE = [...GROUP_KEYS, 'actions', 'handlers']
const WRITING = ['create', 'edit', 'store', 'delete']

/**
 * Checks the names of all options, the nested ones and those of features included.
 *
 * @throws MisuseError `crud_option_unknown` for an unknown name, with the names there are; `options_shape` for a value
 * of another form.
 */
export function checkNames(options: AnyOptions, features: readonly Feature[]): void {
  const owned = features.flatMap((feature) => Object.entries(feature.options))
  checkNotOfResource(options)
  checkKnown('crud', options, [...CORE_OPTIONS, ...owned.map(([name]) => name)], {
    ...RENAMED,
    ...renameIn(features, 'options'),
  })
  checkForms(options)
  for (const [name, shape] of owned) checkShape(name, propertyOf(options, name), shape)
  if (options.scope !== undefined && typeof options.scope !== 'function') {
    checkKnown('`scope`', options.scope, ['list'])
    // `undefined` too: without the function all rows would be reachable.
    const { list }: { readonly list?: unknown } = options.scope
    checkForm('scope.list', list ?? null, FUNCTION)
  }
  checkFilterObjects(options)
  checkEach('filters', options.filters, FILTER_KINDS)
  checkFilterForms(options.filters)
  checkEach('fields', options.fields, ['read', 'write'])
  checkFieldRules(options.fields)
  checkKnown('`fields`', options.fields ?? {}, fieldsIn(options))
  checkEach('perAction', options.perAction, METADATA)
  checkEach('conflicts', options.conflicts, ['field', 'message'])
  const parameters = [...CORE_PARAMETERS, ...features.flatMap((feature) => Object.keys(feature.parameters ?? {}))]
  checkKnown('`paramNames`', options.paramNames ?? {}, parameters, renameIn(features, 'parameters'))
}

function checkNotOfResource(options: AnyOptions): void {
  const misplaced = Object.keys(options).find((name) => OF_RESOURCE.includes(name))
  if (misplaced === undefined) return
  throw new MisuseError(
    'crud_option_unknown',
    `crud: \`${misplaced}\` is an option of mountResource. Write it beside the result: `
      + `mountResource(app, { …, ...crud(store, options), ${misplaced}: … }).`,
  )
}

/**
 * Checks that each hook belongs to an action of the resource: one that never runs is a rule that is never applied.
 *
 * @throws MisuseError `crud_option_unknown` for another name; `added` are the actions with hooks of its features, `all`
 * the features there are.
 */
export function checkHookNames(
  { before = {}, after = {}, afterCommit = {} }: AnyOptions,
  added: readonly string[],
  all: readonly Feature[],
): void {
  const writing = [...WRITING, ...added]
  const around = ['list', 'show', 'createMany', ...writing]
  const hooked = all.filter((feature) => 'hooks' in feature)
  checkActions('before', before, around, hooked)
  checkActions('after', after, around, hooked)
  checkActions('afterCommit', afterCommit, writing, hooked)
}

/** Returns the options that add actions, by the names of those. */
export function optionByAction(features: readonly Feature[]): Readonly<Record<string, string>> {
  return Object.fromEntries(features.flatMap(({ options, actions = [] }) => {
    const [option = ''] = Object.keys(options)
    return actions.map((action) => [action, option])
  }))
}

/** Checks an option by action: the error names the option of a feature whose action is not there. */
export function checkActions(where: string, given: object, known: readonly string[],
  features: readonly Feature[]): void
{
  const options = optionByAction(features)
  const missing = Object.keys(given).find((name) => !known.includes(name) && Object.hasOwn(options, name))
  if (missing !== undefined) {
    throw new MisuseError(
      'crud_option_unknown',
      `\`${where}\` of crud names the action \`${missing}\`, which the option \`${options[missing] ?? ''}\` adds: give `
        + `that option too, or remove \`${missing}\`.`,
    )
  }
  checkKnown(`\`${where}\``, given, known, renameIn(features, 'actions'))
}

function renameIn(features: readonly Feature[], kind: 'options' | 'actions' | 'parameters'): Renamed {
  return merge(features.map(({ renamed }) => renamed?.[kind]))
}

/** Names the fields that a rule can apply to: one for a misspelt field would protect nothing. */
function fieldsIn({ input, changes = input, output }: AnyOptions): string[] {
  return [...new Set([input, changes, output].flatMap(({ shape }) => Object.keys(shape)))]
}

function checkShape(option: string, value: unknown, shape: OptionShape): void {
  if (shape === 'object') checkForm(option, value, OBJECT)
  if (value === undefined || typeof shape !== 'object' || (shape.orTrue === true && value === true)) return
  checkKnown(`\`${option}\``, value, shape.names)
}

function checkEach(option: string, value: object = {}, names: readonly string[]): void {
  for (const [name, nested] of Object.entries(value)) {
    if (nested !== undefined) checkKnown(`\`${option}.${name}\``, nested, names)
  }
}

function checkKnown(where: string, value: unknown, names: readonly string[], renamed: Renamed = {}): void {
  checkOptionNames(where === 'crud' ? where : `${where} of crud`, value, { names, renamed }, 'crud_option_unknown')
}

/**
 * Checks that the options of the core fit together; `parameters` are the names that callers use for the parameters of
 * the list.
 *
 * @throws MisuseError `crud_hidden` for a list by a field that is not in the output; `crud_filter` for a filter that
 * has two kinds or none; `crud_names` for two parameters of one name; `crud_limit` for a page without bounds;
 * `crud_conflicts` for a conflict with a field that the input does not have, or with neither field nor message;
 * `crud_transform` for two functions that make the output.
 */
export function checkOptions(options: AnyOptions, key: string, parameters: readonly string[]): void {
  const { sort = [], order = [], search = [], filters = {}, transform, transformMany } = options
  checkVisible(
    [...sort, ...search, ...Object.keys(filters), ...order.map(fieldOf)],
    options,
    key,
  )
  checkFilters(options)
  checkParameters(parameters)
  checkLimit(options)
  checkConflicts(options)
  if (transform !== undefined && transformMany !== undefined) {
    throw new MisuseError(
      'crud_transform',
      'crud has both `transform` and `transformMany`, which both make the output of a row: remove one.',
    )
  }
}

/** Checks that the output has the fields that a list is read by. @throws MisuseError `crud_hidden` */
export function checkVisible(fields: readonly string[], { output }: AnyOptions, key: string): void {
  const hidden = fields.find((field) => field !== key && !Object.hasOwn(output.shape, field))
  if (hidden === undefined) return
  throw new MisuseError(
    'crud_hidden',
    `crud sorts, searches or filters by \`${hidden}\`, which \`output\` does not have: the list would reveal its `
      + `values. Add it to \`output\`, or remove it.`,
  )
}

function checkFilters({ filters = {} }: AnyOptions): void {
  for (const [field, filter = {}] of Object.entries(filters)) {
    const kinds = [filter.eq, filter.oneOf, filter.contains].filter((kind) => kind !== undefined).length
    const hasOther = [filter.range, filter.ne, filter.isNull].some((kind) => kind !== undefined)
    if (kinds === 1 || (kinds === 0 && hasOther)) continue
    throw new MisuseError(
      'crud_filter',
      `\`filters.${field}\` of crud must have at most one of eq, oneOf and contains, and at least one kind: these, `
        + `range, ne or isNull.`,
    )
  }
}

function checkParameters(names: readonly string[]): void {
  const twice = firstRepeated(names)
  if (twice !== undefined) {
    throw new MisuseError(
      'crud_names',
      `The list of crud has two parameters named \`${twice}\`: rename one, with \`paramNames\` or in `
        + `\`customFilters\`.`,
    )
  }
}

function checkLimit({ limit = 1, maxLimit = 100 }: AnyOptions): void {
  if ([limit, maxLimit].every((rows) => Number.isSafeInteger(rows) && rows > 0) && limit <= maxLimit) return
  throw new MisuseError(
    'crud_limit',
    `\`limit\` and \`maxLimit\` of crud must be whole numbers from 1, and \`limit\` at most \`maxLimit\`, not ${limit} `
      + `and ${maxLimit}.`,
  )
}

function checkConflicts({ conflicts = {}, input, changes = input }: AnyOptions): void {
  const declared: [string, Partial<Record<'field' | 'message', string | undefined>>][] = Object.entries(conflicts)
  for (const [constraint, { field, message }] of declared) {
    const isKnown = field !== undefined && [input, changes].some(({ shape }) => Object.hasOwn(shape, field))
    if (isKnown || (field === undefined && message !== undefined)) continue
    const fault = field === undefined
      ? 'needs a `field` or a `message`'
      : `names the field \`${field}\`, which neither \`input\` nor \`changes\` has`
    throw new MisuseError('crud_conflicts', `\`conflicts.${constraint}\` of crud ${fault}.`)
  }
}
