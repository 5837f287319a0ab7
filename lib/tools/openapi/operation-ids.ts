import { ACTIONS, isActionName, MisuseError, pathNamesOf, type RouteInfo } from '../../core/index.js'
import { distinctNames, nounOf, toCamelCase, toPascalCase, type Naming } from './names.js'
import { mountOf, type DocumentedRoute } from './routes.js'

/** The naming of operations: `listPosts`, `admin.posts.list`, or by a function. */
export type OperationIds = 'camel' | 'dotted' | ((route: RouteInfo) => string)

/**
 * Returns the id of each operation, unique among all routes of the app.
 *
 * @throws MisuseError `openapi_operation_id` where a function returns no string, or the same for two operations.
 */
export function operationIdsOf(
  routes: readonly DocumentedRoute[],
  operationIds: OperationIds,
): Map<DocumentedRoute, string> {
  if (typeof operationIds === 'function') return ownIds(routes, operationIds)
  const [spell, qualifiers] = SPELLINGS[operationIds]
  return distinctNames(routes, { spell, qualifiers, identityOf: (documented) => documented })
}

function ownIds(routes: readonly DocumentedRoute[], idOf: (route: RouteInfo) => string): Map<DocumentedRoute, string> {
  const routeById = new Map<string, string>()
  return new Map(routes.map((documented) => {
    const { path, route } = documented
    const id: unknown = idOf({ ...route, path })
    const where = `${route.method} ${path}`
    if (typeof id !== 'string' || id === '') {
      throw misuse(`${String(id)} for ${where}: return a string that is not empty`)
    }
    const other = routeById.get(id)
    if (other !== undefined) {
      throw misuse(`\`${id}\` for ${other} and for ${where}: each operation needs an id of its own`)
    }
    routeById.set(id, where)
    return [documented, id]
  }))
}

function misuse(returned: string): MisuseError {
  return new MisuseError('openapi_operation_id', `\`operationIds\` returned ${returned}.`)
}

function dottedId({ route, methodsBefore }: DocumentedRoute, qualifiers: ReadonlySet<string>): string {
  const id = methodsBefore === 0 ? route.name : `${route.name}.${route.method.toLowerCase()}`
  return qualifiers.has('path') ? [id, ...pathNamesOf(route.ownPath)].join('.') : id
}

/** The verbs of actions that are not the name of the action. */
const VERBS: Readonly<Record<string, string>> = {
  edit: 'replace',
  store: 'update',
  deleteMany: 'delete',
  createMany: 'create',
  updateMany: 'update',
}

function camelId({ path, route, methodsBefore }: DocumentedRoute, qualifiers: ReadonlySet<string>): string {
  const { action, app = '', method, ownPath } = route
  const { one, many } = nounOf(route)
  const noun = isAboutOne(action, ownPath) ? one : many
  const isOwn = qualifiers.has('action') || (qualifiers.has('many') && action.endsWith('Many'))
  const verb = isOwn ? action : verbOf(action)
  return [
    withoutNoun(toCamelCase(verb), noun),
    qualifiers.has('app') ? toPascalCase(app) : '',
    qualifiers.has('mount') ? mountOf(path, route.path) : '',
    noun,
    qualifiers.has('path') ? argumentsIn(ownPath) : '',
    methodsBefore > 0 ? toPascalCase(method.toLowerCase()) : '',
  ].join('')
}

type Spelling = readonly [spell: Naming<DocumentedRoute>['spell'], qualifiers: readonly string[]]

const SPELLINGS: Readonly<Record<'camel' | 'dotted', Spelling>> = {
  camel: [camelId, ['app', 'many', 'action', 'mount', 'path']],
  dotted: [dottedId, ['path']],
}

function verbOf(action: string): string {
  return (Object.hasOwn(VERBS, action) ? VERBS[action] : undefined) ?? action
}

function argumentsIn(path: string): string {
  const names = pathNamesOf(path).map(toPascalCase)
  return names.length === 0 ? '' : `By${names.join('And')}`
}

function isAboutOne(action: string, ownPath: string): boolean {
  return isActionName(action) ? ACTIONS[action].one : ownPath.startsWith('/:')
}

/** An action that names its resource does not repeat it: `exportPosts` of `posts`. */
function withoutNoun(verb: string, noun: string): string {
  return noun !== '' && verb.endsWith(noun) ? verb.slice(0, -noun.length) : verb
}
