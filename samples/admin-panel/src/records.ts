/** A post as the API sends it. */
export interface Post {
  readonly id: number
  readonly title: string
  readonly content: string
  readonly category: string
  readonly status: number
  readonly authorId: number
  readonly createdAt: string
}

/** A user as the API sends it. */
export interface User {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly status: number
  readonly age: number | null
  readonly role: string | null
  readonly avatarUrl: string | null
  readonly createdAt: string
}

/** The signed-in user. */
export type Me = Pick<User, 'id' | 'role'>

/** Returns true if somebody may change a post: its author and admins may. */
export function mayChange(me: Me, post: Post): boolean {
  return me.role === 'admin' || me.id === post.authorId
}

export const POST_STATUSES = [{ id: 1, name: 'Published' }, { id: 0, name: 'Draft' }]

export const USER_STATUSES = [{ id: 1, name: 'Active' }, { id: 0, name: 'Inactive' }]

export const CATEGORIES = ['general', 'how-to', 'news', 'opinion', 'release'].map((id) => ({ id, name: id }))
