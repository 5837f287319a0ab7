import type { Router } from 'express'
import { BusinessError, mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { callerOf, type Caller } from '../caller.js'
import type { Stores } from '../stores.js'
import { NewPost, Post, POST_FILTERS } from './post.js'

/**
 * The resource `posts`: every caller reads all posts, only the author or an admin changes one, and only admins see
 * deleted ones.
 */
export function mountPosts(router: Router, { posts, idempotencyKeys }: Stores): void {
  mountResource(router, {
    app: 'admin',
    route: '/posts',
    name: 'posts',
    tags: ['Posts'],
    tool: true,
    ...crud(posts, {
      input: NewPost,
      output: Post,
      sort: ['title', 'createdAt'],
      order: ['-id'],
      search: ['title'],
      filters: POST_FILTERS,
      // The editor's `admin.posts.*` includes restore and purge: this rule is checked in addition.
      softDelete: { field: 'deletedAt', allows: (req) => callerOf(req).isAdmin },
      ifMatch: 'optional', // a caller who sends If-Match never overwrites a newer version
      idempotency: { keys: idempotencyKeys }, // a phone that asks twice makes one post
      before: { create: (post, { req }) => ({ ...post, authorId: callerOf(req).id, createdAt: new Date() }) },
      check: (post, { req, action }) => {
        if (action !== 'show') checkAuthor(callerOf(req), post.authorId)
      },
    }),
  })
}

/** @throws BusinessError 403 `post.not_author` when the caller is neither the author nor an admin. */
export function checkAuthor(caller: Caller, authorId: number): void {
  if (caller.isAdmin || authorId === caller.id) return
  throw new BusinessError('Only the author or an admin may do this', 403, { reason: 'post.not_author' })
}
