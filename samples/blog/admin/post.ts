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

/** The filters of the list, beside `search` and `ids`. */
export const POST_FILTERS = { category: { eq: z.string().max(50) }, status: { eq: fields.status } }
