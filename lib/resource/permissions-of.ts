import { listed, type MountedRoute } from '../routing/registry.js'

/** A group of permissions as a role editor shows it. */
export interface PermissionGroup {
  /** What people call it, e.g. `Users`. */
  readonly label: string
  /** The name of the resource, e.g. `users`. */
  readonly name: string
  readonly children: readonly PermissionLeaf[]
}

export interface PermissionLeaf {
  readonly label: string
  /** The permission id, e.g. `admin.users.list`. */
  readonly name: string
  readonly action: string
}

/**
 * The permissions that the mounted routes ask for, as a tree of resources and actions; of one application if named.
 *
 * @example
 * admin.get('/permissions', (req, res) => send(res, 'ok', permissionsOf(req.app, 'admin')))
 */
export function permissionsOf(appOrRouter: object, app?: string): PermissionGroup[] {
  const guarded = listed(appOrRouter)
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.permission !== undefined && (app === undefined || entry.app === app))
  const groups = new Map<string, PermissionGroup & { children: PermissionLeaf[] }>()
  for (const entry of guarded) {
    const key = `${entry.app ?? ''}.${entry.resource}`
    const group = groups.get(key) ?? { label: entry.resourceLabel, name: entry.resource, children: [] }
    groups.set(key, group)
    if (!group.children.some(({ name }) => name === entry.permission)) group.children.push(toLeaf(entry))
  }
  return [...groups.values()]
}

function toLeaf({ actionLabel, name, action }: MountedRoute): PermissionLeaf {
  return { label: actionLabel, name, action }
}
