import express from 'express'
import createError from 'http-errors'
import { errorHandler, findOrFail, mountResource, NotFoundError, notFound, param, serve } from 'resourcery'
import { fromKysely } from 'resourcery/sources/kysely'
import { z } from 'zod'

/*
 * What somebody does who has installed the package: `npm run test:package` compiles this file as an ES module and as CommonJS
 * against the packed package, with the declarations of all dependencies checked, and runs both on every supported Node.js.
 */
async function main(): Promise<void> {
  const users = [{ id: 1, name: 'Ann' }]
  const app = express()
  mountResource(app, {
    route: '/users', name: 'users',
    handlers: {
      show: {
        input: z.object({ id: param.int() }),
        output: z.object({ id: z.number(), name: z.string() }),
        handler: (req, res, { id }) => findOrFail(users.find((user) => user.id === id)),
      },
      // @ts-expect-error the path of a list has no id
      list: (req, res, { id }) => id as unknown,
    },
  })
  app.use(notFound(), errorHandler())

  const running = await serve(app, { port: 0, host: '127.0.0.1', signals: false })
  await expectReply(`${running.url}/users/1`, { code: 200, message: 'ok', data: { id: 1, name: 'Ann' }, meta: {} })
  await expectReply(`${running.url}/users/2`, { code: 404, message: 'Not found', data: null, meta: { reason: 'not_found' } })
  await running.close()

  expect('errors of http-errors', createError.isHttpError(new NotFoundError()), true)
  expect('resourcery/sources/kysely', typeof fromKysely, 'function')
}

async function expectReply(url: string, expected: unknown): Promise<void> {
  expect(url, JSON.stringify(await (await fetch(url)).json()), JSON.stringify(expected))
}

function expect(what: string, seen: unknown, expected: unknown): void {
  if (seen !== expected) throw new Error(`${what}: ${String(seen)} instead of ${String(expected)}`)
}

void main()
