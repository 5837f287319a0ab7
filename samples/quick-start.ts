import express from 'express'
import { errorHandler, findOrFail, mountResource, notFound, paginate, RequestParam, serve, validate } from 'resourcery'

// One resource with hand-written reading of what was sent: two routes, uniform replies, errors included.
const users = [{ id: 1, name: 'Ann' }, { id: 2, name: 'Ben' }, { id: 3, name: 'Cleo' }]

const app = express()

mountResource(app, {
  route: '/users',
  name: 'users',
  handlers: {
    list: (req) => paginate(users, RequestParam.page(req)),
    create: (req) => {
      const { name } = validate(RequestParam.body(req), {
        name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
      })
      const user = { id: users.length + 1, name }
      users.push(user)
      return user
    },
    show: (req, res, { id }) => findOrFail(users.find((user) => String(user.id) === id), 'No such user'),
  },
})

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl '${url}/users?limit=2'`)
