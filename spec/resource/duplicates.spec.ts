import express, { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { checkNames } from '../../lib/core/resource/names.js'
import { serve } from 'resourcery'

function routerWith(route: string, name: string, app = 'admin'): Router {
  const router = Router()
  mountResource(router, { app, route, name, handlers: { list: () => 1, show: () => 1 } })
  return router
}

describe('two routers of one application', () => {
  it('are refused with the same name', async () => {
    const app = express().use('/a', routerWith('/users', 'users')).use('/b', routerWith('/users', 'users'))
    expect(() => checkNames(app)).toThrow(expect.objectContaining({ code: 'name_taken' }))
    await expect(serve(app, { port: 0 })).rejects.toMatchObject({ code: 'name_taken' })
  })

  it('are refused with the same route', () => {
    const app = express().use('/a', routerWith('/users', 'users')).use('/A', routerWith('/users', 'people'))
    expect(() => checkNames(app)).toThrow(expect.objectContaining({ code: 'route_taken' }))
  })

  it('may be one router under several prefixes, with several methods for an action', () => {
    const users = routerWith('/users', 'users')
    mountRoutes(users, {
      app: 'admin',
      route: '/jobs',
      routes: { run: { route: '/run', methods: ['GET', 'POST'], handler: () => 1 } },
    })
    expect(() => checkNames(express().use('/v1', users).use('/v2', users))).not.toThrow()
  })

  it('may share names if the applications differ', () => {
    expect(() => checkNames(express().use(routerWith('/users', 'users'), routerWith('/users', 'users', 'shop')))).not
      .toThrow()
  })
})
