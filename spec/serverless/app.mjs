import express from 'express'
import jsonwebtoken from 'jsonwebtoken'
import { auth, errorHandler, mountResource, mountRoutes, notFound, param,
  RequestParam } from '../../dist/entries/index.js'
import { crud, memoryStore } from '../../dist/entries/crud.js'
import { z } from 'zod'

/** The secret of the tokens that `verify` checks by jsonwebtoken. */
export const SECRET = 'at least 32 bytes that are only here for a test'

/** An app that does not listen, as a function platform runs it. */
export const app = express()
app.post('/undeclared', express.json(), (req, res) => res.json(RequestParam.body(req)))
mountResource(app, {
  route: '/notes',
  name: 'notes',
  ...crud(memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] }), {
    input: z.object({ title: z.string().min(2) }),
    output: z.object({ id: z.int(), title: z.string() }),
  }),
})
mountRoutes(app, {
  route: '/files',
  name: 'files',
  routes: {
    store: {
      route: '',
      methods: 'POST',
      files: { file: { required: true, maxBytes: 1000 } },
      handler: (req) => ({ size: RequestParam.file(req, 'file').size, ...RequestParam.body(req) }),
    },
  },
})
const desk = express.Router()
desk.use(
  auth('desk', {
    verify: (req) => jsonwebtoken.verify(String(req.get('authorization')).replace(/^Bearer /, ''), SECRET),
  }),
)
mountResource(desk, {
  app: 'desk',
  route: '/tasks',
  name: 'tasks',
  can: false,
  handlers: {
    show: { input: z.object({ id: param.int() }), handler: (req, _res, { id }) => ({ id, by: req.auth.id }) },
  },
})
app.use('/desk', desk)
app.use(notFound(), errorHandler({ log: () => undefined }))
