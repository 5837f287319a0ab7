import type { Request, Router } from 'express'
import { mountResource, paginate, param, reply, RequestParam } from 'resourcery'
import { z } from 'zod'
import { callerOf } from '../caller.js'
import type { Database } from '../database/schema.js'
import { changePost, createPost, deletePosts, findPost, listPosts } from './posts-table.js'
import { NewPost, Post, PostChanges, PostId, PostQuery } from './post.js'

/** The resource `posts`, with typed actions: path, query and body arrive as checked arguments, and what is returned is sent. */
export function mountPosts(router: Router, db: Database): void {
  mountResource(router, {
    app: 'admin', route: '/posts', name: 'posts', tags: ['Posts'],
    handlers: {
      list: {
        input: PostQuery, output: z.array(Post),
        handler: (req, res, filters) => {
          const { page, limit, search } = RequestParam.page(req)
          return paginate(listPosts(db, { ...filters, search, ids: wantedIds(req) }), { page, limit })
        },
      },
      show: { input: PostId, output: Post, handler: (req, res, { id }) => findPost(db, id) },
      create: { input: NewPost, output: Post, message: 'Created', handler: (req, res, post) => createPost(db, callerOf(req), post) },
      edit: {
        input: NewPost.extend(PostId.shape), output: Post, message: 'Saved',
        handler: (req, res, { id, ...post }) => changePost(db, callerOf(req), id, post),
      },
      store: {
        input: PostChanges.extend(PostId.shape), output: Post, message: 'Saved',
        handler: (req, res, { id, ...changes }) => changePost(db, callerOf(req), id, changes),
      },
      delete: {
        input: PostId, output: z.null(), message: 'Deleted',
        handler: async (req, res, { id }) => {
          await deletePosts(db, callerOf(req), [id])
          return null
        },
      },
      deleteMany: {
        output: z.null(),
        handler: async (req) => {
          const ids = RequestParam.ids(req, { of: param.int() })
          await deletePosts(db, callerOf(req), ids)
          return reply('Deleted', null, { deleted: ids.length })
        },
      },
    },
  })
}

/** Only these posts, if the query names any. */
function wantedIds(req: Request): number[] | undefined {
  return 'ids' in RequestParam.query(req) ? RequestParam.ids(req, { of: param.int() }) : undefined
}
