import { Body, Controller, Get, Path, Post, Query, Route, Security, SuccessResponse } from '@tsoa/runtime'
import { addPost, findPost, searchPosts, type NewPost as NewRow, type Post as PostRow } from '../../data.js'
import { Refusal } from './authentication.js'

export interface Envelope<T> {
  code: number
  message: string
  data: T
  meta: Record<string, unknown>
}

/** A union of strings would be checked one by one, with a very long error. */
export enum Category {
  news = 'news',
  guide = 'guide',
  story = 'story',
}

export interface NewPost {
  /**
   * @minLength 3 must NOT have fewer than 3 characters
   * @maxLength 200 must NOT have more than 200 characters
   */
  title: string
  /** @minLength 1 must NOT have fewer than 1 characters */
  content: string
  category: Category
  /** @isInt must be integer */
  status: number
}

@Route('posts')
export class PostsController extends Controller {
  /**
   * @isInt page
   * @minimum page 1
   * @isInt limit
   * @minimum limit 1
   * @maximum limit 100
   * @maxLength search 200
   */
  @Get()
  async list(@Query() page = 1, @Query() limit = 20, @Query() search = ''): Promise<Envelope<PostRow[]>> {
    const rows = searchPosts(search)
    return {
      code: 200,
      message: 'ok',
      data: rows.slice((page - 1) * limit, page * limit),
      meta: { total: rows.length, page, limit },
    }
  }

  /** @isInt id must be integer */
  @Get('{id}')
  async show(@Path() id: number): Promise<Envelope<PostRow>> {
    return { code: 200, message: 'ok', data: found(findPost(id)), meta: {} }
  }

  @Post()
  @SuccessResponse(201)
  async create(@Body() post: NewPost): Promise<Envelope<PostRow>> {
    this.setStatus(201)
    return { code: 201, message: 'ok', data: addPost(post as NewRow), meta: {} }
  }
}

@Route('admin/posts')
export class AdminPostsController extends Controller {
  /** @isInt id must be integer */
  @Security('jwt', ['admin.posts.show'])
  @Get('{id}')
  async show(@Path() id: number): Promise<Envelope<PostRow>> {
    return { code: 200, message: 'ok', data: found(findPost(id)), meta: {} }
  }
}

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Refusal(404, 'Not found', 'not_found')
  return value
}
