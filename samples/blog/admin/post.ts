import { param } from 'resourcery'
import { z } from 'zod'

/** A post as it is sent. */
export const Post = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  category: z.string(),
  status: z.int(),
  authorId: z.int(),
  createdAt: z.date(),
})

const fields = {
  title: z.string().trim().min(1, 'A title is needed').max(200),
  content: z.string().max(10_000),
  category: z.string().trim().min(1, 'A category is needed').max(50),
  status: param.int().min(-2_147_483_648).max(2_147_483_647),
}

/** A whole post as it is written: `id`, `authorId` and `createdAt` are nobody's to choose. */
export const NewPost = z.object({
  ...fields,
  content: fields.content.default(''),
  category: fields.category.default('general'),
  status: fields.status.default(1),
})

/** Some fields of a post: here nothing has a default, which would be written over what is stored. */
export const PostChanges = z.object(fields).partial()

export const PostId = z.object({ id: param.int() })

type SortKey = `${'' | '-'}${'id' | 'title' | 'createdAt'}`
const SORT = /^-?(id|title|createdAt)(,-?(id|title|createdAt)){0,2}$/

/** What a list can be narrowed and ordered by, beside `page`, `limit`, `search` and `ids`. */
export const PostQuery = z.object({
  category: z.string().max(50).optional(),
  status: fields.status.optional(),
  sort: z.string()
    .regex(SORT, 'Sort by id, title or createdAt, joined by commas, with - in front for descending')
    .transform((keys) => keys.split(',') as SortKey[])
    .prefault('-id'),
})
