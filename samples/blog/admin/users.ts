import type { Router } from 'express'
import { ConflictError, formatData, mountResource, paginate, param, RequestParam, send, type Handler } from 'resourcery'
import { fromKysely } from 'resourcery/sources/kysely'
import { insertRow } from '../database/insert.js'
import type { Database } from '../database/schema.js'
import { contains } from '../database/search.js'
import { isUniqueViolation } from '../database/violations.js'
import type { Services } from '../services.js'
import { AVATAR_FILES, uploadAvatar } from './avatar.js'
import { deleteUsers } from './delete-users.js'
import { exportUsers } from './export-users.js'
import { readUser, readUserChanges } from './user-fields.js'
import { userIdOf } from './user-id.js'
import { findUser, selectUsers } from './user.js'

/** The resource `users`, with hand-written handlers: each reads what it needs and calls `send`. */
export function mountUsers(router: Router, services: Services): void {
  const { db } = services
  mountResource(router, {
    app: 'admin', route: '/users', name: 'users', tags: ['Users'],
    handlers: {
      list: list(db),
      show: show(db),
      create: create(db),
      edit: edit(db),
      store: store(db),
      delete: deleteOne(services),
      deleteMany: deleteMany(services),
    },
    custom: {
      export: { methods: ['POST'], route: '/export', summary: 'Export all users as CSV', produces: 'text/csv', handler: exportUsers(db) },
      avatar: { methods: ['POST'], route: '/:id/avatar', summary: 'Upload an avatar', files: AVATAR_FILES, handler: uploadAvatar(services) },
      health: { methods: ['GET'], route: '/health', auth: false, summary: 'Tell that the service is up', handler: health },
    },
  })
}

const list = (db: Database): Handler => async (req, res) => {
  const { page, limit, search } = RequestParam.page(req)
  const users = selectUsers(db).where(contains('name', search)).orderBy('id')
  const { data, meta } = formatData(await paginate(fromKysely(users), { page, limit }), (user) => user)
  send(res, 'ok', data, meta)
}

const show = (db: Database): Handler => async (req, res) => {
  send(res, 'ok', await findUser(db, userIdOf(req)))
}

const create = (db: Database): Handler => async (req, res) => {
  const columns = await readUser(RequestParam.body(req))
  const id = await orTaken(insertRow(db, 'users', { ...columns, createdAt: new Date() }))
  send(res, 'Created', await findUser(db, id), {}, 201)
}

const edit = (db: Database): Handler => async (req, res) => {
  const id = userIdOf(req)
  const columns = await readUser(RequestParam.body(req))
  await orTaken(db.updateTable('users').set(columns).where('id', '=', id).execute())
  send(res, 'Saved', await findUser(db, id))
}

const store = (db: Database): Handler => async (req, res) => {
  const id = userIdOf(req)
  const columns = await readUserChanges(RequestParam.body(req))
  if (Object.keys(columns).length > 0) await orTaken(db.updateTable('users').set(columns).where('id', '=', id).execute())
  send(res, 'Saved', await findUser(db, id))
}

const deleteOne = (services: Services): Handler => async (req, res) => {
  await deleteUsers(services, [userIdOf(req)])
  send(res, 'Deleted')
}

const deleteMany = (services: Services): Handler => async (req, res) => {
  const ids = RequestParam.ids(req, { of: param.int() })
  await deleteUsers(services, ids)
  send(res, 'Deleted', null, { deleted: ids.length })
}

const health: Handler = (req, res) => send(res, 'ok', { status: 'up' })

/** The database is asked last and decides: a look beforehand would be outrun by a second request. */
async function orTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw isUniqueViolation(error) ? new ConflictError('This e-mail address is taken') : error
  }
}
