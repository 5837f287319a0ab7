import { listing } from './listing.js'

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
 * Lists the permissions that the mounted routes ask for, as a tree of resources and actions; of one application if named.
 *
 * @throws MisuseError `name_taken` where two resources share a permission id.
 * @example
 * admin.get('/permissions', (req, res) => send(res, 'ok', permissionsOf(req.app, 'admin')))
 */
export function permissionsOf(appOrRouter: object, app?: string): PermissionGroup[] {
  const groups = new Map<string, PermissionGroup & { children: PermissionLeaf[] }>()
  for (const entry of listing(appOrRouter).flatMap(({ entries }) => entries)) {
    for (const name of entry.permissions) {
      const owner = name.slice(0, name.indexOf('.'))
      if (app !== undefined && app !== owner) continue
      const key = `${owner}.${entry.resource}`
      const group = groups.get(key) ?? { label: entry.resourceLabel, name: entry.resource, children: [] }
      groups.set(key, group)
      if (!group.children.some((leaf) => leaf.name === name)) group.children.push({ label: entry.actionLabel, name, action: entry.action })
    }
  }
  return [...groups.values()]
}
