import type { AuthProvider, RaRecord } from 'react-admin'
import { authProvider, dataProvider, HttpError, type DataParams, type OneResult } from 'resourcery/react-admin'
import { mayChange, type Me, type Post } from './records.ts'

/** The address of the API, on the origin of this page. */
const API = '/admin'

const api = dataProvider(API, {
  resources: {
    posts: { filters: ['category', 'status'] },
    'deleted-posts': { path: '/posts', filters: ['deleted'] },
    users: { filters: ['status'], uploads: { avatar: '/:id/avatar' } },
  },
})

/** The records that a create page has created so far. */
export interface Draft {
  created?: RaRecord
}

/**
 * The resources of the API. A record whose file is refused was created without the file: the next attempt of the same
 * page changes that record in place of creating another one.
 */
export const data = {
  ...api,
  async create<R>(resource: string, params: DataParams): Promise<OneResult<R>> {
    const { draft = {} } = (params.meta ?? {}) as { draft?: Draft }
    const { created } = draft
    if (created !== undefined) {
      const { id } = created
      const fields = { ...params.data as object, id }
      return await api.update(resource, { id, data: fields, previousData: created }) as OneResult<R>
    }
    try {
      return await api.create(resource, params)
    } catch (error) {
      if (error instanceof HttpError && error.body.created !== undefined) draft.created = error.body.created
      throw error
    }
  },
}

const session = authProvider(API, { login: '/login', app: 'admin' })

interface Access {
  readonly action: string
  readonly resource: string
  readonly record?: unknown
}

/**
 * The permissions of the API, and two rules that they do not contain: only the author or an admin changes a post, and
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
