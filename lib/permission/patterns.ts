import { MisuseError } from '../errors.js'
import type { Judge } from '../routing/request-state.js'

const ID = /^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*$/

/** Whether an entry grants a permission id: the id itself, `prefix.*` for everything below a prefix, `*` for everything. */
function grants(entry: unknown, permission: string): boolean {
  if (entry === permission || entry === '*') return true
  return typeof entry === 'string' && isPrefix(entry) && permission.startsWith(entry.slice(0, -1))
}

function isPrefix(entry: string): boolean {
  return entry.endsWith('.*') && ID.test(entry.slice(0, -2))
}

/** Grants by the caller's own `permissions`; a text is no list. */
export const byPermissions: Judge = ({ permissions }, permission) => {
  const entries: unknown = permissions
  return Array.isArray(entries) && entries.some((entry) => grants(entry, permission))
}

/**
 * Grants by the caller's role; an absent one counts as `user`.
 *
 * @throws MisuseError `role_pattern`, `roles_shape`.
 */
export function byRole(roles: unknown): Judge {
  if (typeof roles !== 'object' || roles === null || Array.isArray(roles)) {
    throw new MisuseError('roles_shape', "`roles` says what each role may: { editor: ['admin.posts.*'] }.")
  }
  // A Map: a role called `constructor` finds nothing.
  const entries = new Map(Object.entries(roles).map(([role, list]) => [role, checkedEntries(role, list)]))
  return ({ role = 'user' }, permission) => entries.get(role)?.some((entry) => grants(entry, permission)) ?? false
}

function checkedEntries(role: string, list: unknown): readonly string[] {
  if (!Array.isArray(list)) throw new MisuseError('roles_shape', `The role \`${role}\` has a list of permissions.`)
  for (const entry of list as readonly unknown[]) {
    if (typeof entry === 'string' && (entry === '*' || ID.test(entry) || isPrefix(entry))) continue
    throw new MisuseError('role_pattern', `The role \`${role}\` lists ${JSON.stringify(entry)}: an entry is an id, \`prefix.*\` or \`*\`.`)
  }
  return [...(list as readonly string[])]
}
