import { randomBytes } from 'node:crypto'
import express from 'express'
import { auth, errorHandler, mountResource, notFound, permission } from 'resourcery'

/** An app without a mistake. */
export const app = express()
app.set('trust proxy', 1)
app.use('/desk', auth('desk', { secret: randomBytes(48).toString('base64') }))
app.use('/desk', permission('desk', { roles: { user: ['desk.tickets.*'], admin: ['*'] } }))
mountResource(app, { app: 'desk', route: '/desk/tickets', name: 'tickets', handlers: { list: () => [] } })
app.get('/health', (_req, res) => res.end())
app.use(notFound(), errorHandler())
