import express from 'express'
import { auth, mountResource, permission } from 'resourcery'

/** An app with one of each mistake that `resourcery doctor` finds. */
export const app = express()
app.set('trust proxy', true)
app.use('/desk', auth('desk', { secret: 'this-is-a-secret-that-someone-forgot-to-change' }))
app.use('/desk', permission('desk', { roles: { user: ['desk.tickets.*'], clerk: ['desk.ticket.close'] } }))
mountResource(app, { app: 'desk', route: '/desk/tickets', name: 'tickets', handlers: { list: () => [] } })
app.get('/desk/by-hand', (_req, res) => res.end())
mountResource(app, { app: 'shop', route: '/orders', name: 'orders', handlers: { list: () => [] } })
