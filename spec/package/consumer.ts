import express from 'express'
import createError from 'http-errors'
import { errorHandler, findOrFail, MisuseError, mountResource, NotFoundError, notFound, param, serve } from 'resourcery'
import { memoryStore } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { fromKnex, type KnexQuery } from 'resourcery/knex'
import { z } from 'zod'

/*
 * A user's program: `npm run test:package` compiles this file as an ES module and as CommonJS
 * against the packed package, with the declarations of all dependencies checked, and runs both on every supported
 * Node.js.
 */
async function main(): Promise<void> {
  const users = [{ id: 1, name: 'Ann' }]
  const app = express()
  mountResource(app, {
    route: '/users',
    name: 'users',
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
  await expectReply(`${running.url}/users/2`, {
    code: 404,
    message: 'Not found',
    data: null,
    meta: { reason: 'not_found' },
  })
  await running.close()

  expect('errors of http-errors', createError.isHttpError(new NotFoundError()), true)
  expect('the name of an error', new NotFoundError().name, 'NotFoundError')
  expect(
    'paths in a document of routes that the main entry mounted',
    Object.keys(openapi(app, { title: 'Users', version: '1' }).paths).join(),
    '/users,/users/{id}',
  )
  for (
    const misuse of [
      () => memoryStore({ key: 'id', rows: [...users, ...users] }),
      () => openapi(app, { title: '', version: '1' }),
      () => fromKnex({} as KnexQuery<object>, { order: 'id' } as object),
    ]
  ) expect(`the error of ${String(misuse)} is the main entry's`, thrownBy(misuse) instanceof MisuseError, true)
  expect('resourcery/knex', typeof fromKnex, 'function')
}

async function expectReply(url: string, expected: unknown): Promise<void> {
  expect(url, JSON.stringify(await (await fetch(url)).json()), JSON.stringify(expected))
}

function expect(what: string, seen: unknown, expected: unknown): void {
  if (seen !== expected) throw new Error(`${what}: ${String(seen)} instead of ${String(expected)}`)
}

function thrownBy(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

void main()
