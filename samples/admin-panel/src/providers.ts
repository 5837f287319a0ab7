import type { AuthProvider } from 'react-admin'
import { authProvider, dataProvider } from 'resourcery/react-admin'
import { mayChange, type Me, type Post } from './records.ts'

/** The address of the API, on the origin of this page. */
const API = '/admin'

export const data = dataProvider(API, {
  resources: {
    posts: { filters: ['category', 'status'] },
    'deleted-posts': { path: '/posts', filters: ['deleted'] },
    users: { filters: ['status'], uploads: { avatar: '/:id/avatar' } },
  },
})

const session = authProvider(API, { login: '/login', app: 'admin' })

interface Access {
  readonly action: string
  readonly resource: string
  readonly record?: unknown
}

/**
 * What the permissions of the API say, and two rules that they do not: only the author or an admin changes a post, and
 * only an admin sees deleted posts. The server checks both with each request; here they decide what is offered.
 */
async function canAccess({ action, resource, record }: Access): Promise<boolean> {
  if (resource === 'deleted-posts') {
    return await session.canAccess({ action: 'restore', resource: 'posts' }) && (await me()).role === 'admin'
  }
  if (!await session.canAccess({ action, resource })) return false
  if (resource !== 'posts' || record === undefined || !['edit', 'delete'].includes(action)) return true
  return mayChange(await me(), record as Post)
}

async function me(): Promise<Me> {
  return await session.getIdentity() as Me
}

export const auth: AuthProvider = { ...session, canAccess }
