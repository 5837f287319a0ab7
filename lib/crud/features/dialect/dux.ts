/**
 * The dialect of DuxLite's client, `@duxweb/dvha-core`, for `crud(store, { dialect: dux })`: `pageSize`, `keyword`,
 * `<field>_sort=asc`, empty strings for values that are not set, and a list in the body of a POST.
 *
 * `auth(app, { bareToken: true })` accepts its tokens.
 *
 * @example
 * crud(posts, { input: NewPost, output: Post, sort: ['title'], search: ['title'], bulk: true, dialect: dux })
 */
export const dux = Object.freeze({
  paramNames: { limit: 'pageSize', search: 'keyword' },
  sorter: (field: string): string => `${field}_sort`,
  emptyIsUnset: true,
  listCreates: true,
})
