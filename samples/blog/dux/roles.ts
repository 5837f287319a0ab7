/** The permissions of each role here; a user without a role counts as `user`. */
export const ROLES = {
  admin: ['*'],
  editor: ['dux.posts.*', 'dux.users.list', 'dux.users.show'],
  user: ['dux.posts.list', 'dux.posts.show'],
}

/** Returns true if a role has a permission, by the rules of `permission`. */
export function isGranted(role: string | null, id: string): boolean {
  const patterns = ROLES[(role ?? 'user') as keyof typeof ROLES]
  return patterns.some((pattern) => pattern === id || (pattern.endsWith('*') && id.startsWith(pattern.slice(0, -1))))
}
