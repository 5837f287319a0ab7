import express from 'express'
import { auth, mountResource, permission } from 'resourcery'

/** An app for the command, with guards in front of its routes. */
export const app = express()
app.use(auth('admin', { secret: 'a secret of at least 32 bytes for the tests' }))
app.use(permission('admin', { roles: { admin: ['*'] } }))
mountResource(app, { app: 'admin', route: '/users', name: 'users', handlers: { list: () => [] } })
app.post('/login', (_req, res) => void res.end())
