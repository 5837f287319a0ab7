/** What each role may do here; a user without a role counts as `user`. */
export const ROLES = {
  admin: ['*'],
  editor: ['dux.posts.*', 'dux.users.list', 'dux.users.show'],
  user: ['dux.posts.list', 'dux.posts.show'],
}

/** Whether a role has a permission, as `permission` judges it too. */
export function isGranted(role: string | null, id: string): boolean {
  const patterns = ROLES[(role ?? 'user') as keyof typeof ROLES]
  return patterns.some((pattern) => pattern === id || (pattern.endsWith('*') && id.startsWith(pattern.slice(0, -1))))
}
