import english from 'ra-language-english'

const POST_FIELDS = { authorId: 'Author', createdAt: 'Created' }

/** The texts of react-admin, with the names of this panel. */
export const texts = {
  ...english,
  ra: { ...english.ra, auth: { ...english.ra.auth, username: 'E-mail' } },
  resources: {
    posts: {
      name: 'Post |||| Posts',
      fields: POST_FIELDS,
      page: { edit: '%{recordRepresentation}', show: '%{recordRepresentation}' },
    },
    'deleted-posts': { name: 'Deleted post |||| Deleted posts', fields: POST_FIELDS, empty: 'No post is deleted' },
    users: { name: 'User |||| Users', fields: { avatarUrl: 'Avatar', createdAt: 'Since', email: 'E-mail' } },
  },
}
