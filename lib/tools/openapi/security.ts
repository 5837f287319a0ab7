import type { AuthScheme, MountedRoute, SchemeFinder } from '../../core/index.js'
import { freeName } from './names.js'
import { compare, type DocumentedRoute } from './routes.js'
import type { Operation, SecurityScheme } from './types.js'

/** The security of one operation: its alternatives, and the schemes that they name. */
export interface OperationSecurity {
  readonly security: NonNullable<Operation['security']>
  readonly schemes: ReadonlyMap<string, AuthScheme>
}

/**
 * Returns a function that finds the security of a route. The first scheme of an application has its name, further ones
 * have their kind too: `shop`, `shop.apiKey`.
 */
export function operationSecurity(schemesOf: SchemeFinder): (documented: DocumentedRoute) => OperationSecurity {
  const nameOf = schemeNames()
  return ({ route, path }) => {
    const named = route.guardedBy.map((app) => {
      const schemes = schemesOf(route, path, app)
      return (schemes.length === 0 ? [bearerOf(app)] : schemes).map((scheme) => [nameOf(app, scheme), scheme] as const)
    })
    const security = requirements(route, named.map((schemes) => schemes.map(([name]) => name)))
    return { security, schemes: new Map(named.flat()) }
  }
}

/** The scheme of an application whose `auth` a listing does not find. */
function bearerOf(app: string): AuthScheme {
  return { type: 'http', scheme: 'bearer', description: `A token of the application \`${app}\`` }
}

/** The guards refuse an anonymous caller where a permission is required, even where `auth` is optional. */
function requirements(
  { auth, guardedBy, permissions }: MountedRoute,
  named: readonly (readonly string[])[],
): OperationSecurity['security'] {
  if (guardedBy.length === 0) return []
  const alternatives = named.reduce<Record<string, readonly string[]>[]>(
    (before, names) => before.flatMap((requirement) => names.map((name) => ({ ...requirement, [name]: [] }))),
    [{}],
  )
  return auth === 'optional' && permissions.length === 0 ? [{}, ...alternatives] : alternatives
}

/** Returns a function that names schemes; the same scheme of an application has one name. */
function schemeNames(): (app: string, scheme: AuthScheme) => string {
  const names = new Map<string, string>()
  return (app, scheme) => {
    const key = JSON.stringify([app, scheme])
    const kind = scheme.type === 'http' ? scheme.scheme : scheme.type
    const isTaken = (candidate: string): boolean => [...names.values()].includes(candidate)
    const name = names.get(key) ?? (isTaken(app) ? freeName(`${app}.${kind}`, isTaken) : app)
    names.set(key, name)
    return name
  }
}

/** Returns the schemes of these operations, by name, with those of the options over them. */
export function securitySchemesOf(
  operations: readonly OperationSecurity[],
  given: Readonly<Record<string, SecurityScheme>> = {},
): Record<string, SecurityScheme> {
  const all = { ...Object.fromEntries(operations.flatMap(({ schemes }) => [...schemes])), ...given }
  return Object.fromEntries(Object.entries(all).sort(([one], [other]) => compare(one, other)))
}
