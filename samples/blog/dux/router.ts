import { Router } from 'express'
import { auth, permission } from 'resourcery'
import type { Services } from '../services.js'
import { mountPosts } from './posts.js'
import { isGranted, ROLES } from './roles.js'
import { mountSession } from './session.js'
import { mountUsers } from './users.js'

/**
 * The application `dux`, for `@duxweb/dvha-core` with its simple data and auth providers: the users and posts of the
 * blog, in the dialect of that client. Its tokens come without `Bearer`, which no other application accepts.
 */
export function duxRouter(services: Services, sendMail: (to: string, text: string) => void): Router {
  const dux = Router()
  dux.use(auth('dux', { secret: services.secret, bareToken: true }), permission('dux', { roles: ROLES }))
  mountSession(dux, services, { sendMail, isGranted })
  mountUsers(dux, services)
  mountPosts(dux, services.stores)
  return dux
}
