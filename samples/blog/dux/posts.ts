import type { Router } from 'express'
import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { dux } from 'resourcery/dux'
import { NewPost, Post, POST_FILTERS } from '../admin/post.js'
import { checkAuthor } from '../admin/posts.js'
import { callerOf } from '../caller.js'
import type { Stores } from '../stores.js'

/** The posts under the rules that they have in `admin`. */
export function mountPosts(router: Router, { posts }: Stores): void {
  mountResource(router, {
    app: 'dux',
    route: '/posts',
    name: 'posts',
    tags: ['Posts'],
    ...crud(posts, {
      input: NewPost,
      output: Post,
      sort: ['title', 'createdAt'],
      order: ['-id'],
      search: ['title'],
      filters: POST_FILTERS,
      softDelete: { field: 'deletedAt', allows: (req) => callerOf(req).isAdmin },
      ifMatch: 'optional',
      bulk: true, // for createMany, updateMany and imports
      dialect: dux,
      before: { create: (post, { req }) => ({ ...post, authorId: callerOf(req).id, createdAt: new Date() }) },
      check: (post, { req, action }) => {
        if (action !== 'show') checkAuthor(callerOf(req), post.authorId)
      },
    }),
  })
}
