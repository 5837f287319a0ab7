import { randomBytes } from 'node:crypto'
import express from 'express'
import { auth, errorHandler, issueToken, mountResource, notFound, permission, send, serve } from 'resourcery'

// The pair in front of everything below `/admin`: who are you, and may you do this.
const secret = randomBytes(32)
const roles = { editor: ['admin.posts.*'], reader: ['admin.posts.list'] }

const app = express()
const admin = express.Router()
app.use('/admin', admin)

admin.use(auth('admin', { secret }), permission('admin', { roles }))

mountResource(admin, {
  app: 'admin',
  route: '/posts',
  name: 'posts',
  handlers: {
    list: () => [{ id: 1, title: 'Hello' }],
    delete: (req, res, { id }) => ({ deleted: id }),
  },
  custom: {
    health: { methods: ['GET'], route: '/health', auth: false, handler: () => ({ status: 'up' }) },
  },
})

// Hand-written, behind the same pair: a sign-in is enough.
admin.get('/me', (req, res) => send(res, 'ok', { id: req.auth?.id, role: req.auth?.role }))

app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
for (const role of ['editor', 'reader']) {
  console.log(
    `  curl -X DELETE ${url}/admin/posts/1 -H 'Authorization: Bearer ${await issueToken('admin', { id: 1, role }, {
      secret,
    })}'  # ${role}`,
  )
}
