import express, { Router } from 'express'
import { errorHandler, mountResource } from 'resourcery'

/** An app of which the fast path serves one route, and only Express the other. */
export const app = express()
const users = Router({ mergeParams: true })
app.use('/of/:tenant', users)
mountResource(app, { route: '/posts', name: 'posts', handlers: { list: () => [] } })
mountResource(users, { route: '/users', name: 'users', handlers: { list: () => [] } })
app.use(errorHandler())
