import type { PermissionGroup } from '../resource/routes-of.js'

/** Each resource with the permissions of its actions below it. */
export function permissionsTree(groups: readonly PermissionGroup[]): string {
  if (groups.length === 0) return 'No route asks for a permission.'
  return groups.map(({ label, name, children }) => [`${label} (${name})`, ...children.map((leaf) => `  ${leaf.name}  ${leaf.label}`)].join('\n')).join('\n')
}
