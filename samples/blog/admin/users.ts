import type { Router } from 'express'
import type { Insertable, Updateable } from 'kysely'
import { ConflictError, mountResource, param, reply, RequestParam } from 'resourcery'
import { z } from 'zod'
import { insertRow } from '../database/insert.js'
import type { Database, UserTable } from '../database/schema.js'
import { isUniqueViolation } from '../database/violations.js'
import type { Services } from '../services.js'
import { AVATAR_FILES, Avatar, uploadAvatar } from './avatar.js'
import { deleteUsers } from './delete-users.js'
import { exportUsers } from './export-users.js'
import { listUsers, UserQuery } from './list-users.js'
import { changedColumns, columnsOf, ID, USER_FIELDS } from './user-fields.js'
import { findUser, User } from './user.js'

/** Mounts the resource `users`, whose handlers ask the database themselves. */
export function mountUsers(router: Router, services: Services): void {
  const { db } = services
  mountResource(router, {
    app: 'admin',
    route: '/users',
    name: 'users',
    tags: ['Users'],
    examples: { id: 4 }, // who is none of those who sign in
    handlers: {
      list: {
        input: UserQuery,
        output: z.array(User),
        handler: (req, res, query) => listUsers(db, { ...RequestParam.page(req), ...query }),
      },
      show: { input: ID, output: User, handler: (req, res, { id }) => findUser(db, id) },
      create: {
        input: USER_FIELDS,
        output: User,
        message: 'Created',
        handler: async (req, res, sent) => createUser(db, await columnsOf(sent)),
      },
      edit: {
        input: { ...ID, ...USER_FIELDS },
        output: User,
        message: 'Saved',
        handler: async (req, res, { id, ...sent }) => changeUser(db, id, await columnsOf(sent)),
      },
      store: {
        input: { ...ID, ...USER_FIELDS },
        output: User,
        message: 'Saved',
        handler: async (req, res, { id, ...sent }) => changeUser(db, id, await changedColumns(sent)),
      },
      delete: {
        input: ID,
        output: z.null(),
        message: 'Deleted',
        examples: { id: 60 }, // a user without posts
        handler: async (req, res, { id }) => {
          await deleteUsers(services, [id])
          return null
        },
      },
      deleteMany: {
        output: z.null(),
        examples: { ids: [58, 59] },
        handler: async (req) => {
          const ids = RequestParam.ids(req, { of: param.int() })
          await deleteUsers(services, ids)
          return reply('Deleted', null, { deleted: ids.length })
        },
      },
    },
    custom: {
      export: {
        methods: ['POST'],
        route: '/export',
        summary: 'Export all users as CSV',
        body: false,
        produces: 'text/csv',
        handler: exportUsers(db),
      },
      avatar: {
        methods: ['POST'],
        route: '/:id/avatar',
        summary: 'Upload an avatar',
        files: AVATAR_FILES,
        input: ID,
        output: Avatar,
        message: 'Stored',
        handler: (req, res, { id }) => uploadAvatar(services, req, id),
      },
      health: {
        methods: ['GET'],
        route: '/health',
        auth: false,
        summary: 'Tell that the service is up',
        output: z.object({ status: z.literal('up') }),
        handler: () => ({ status: 'up' }),
      },
    },
  })
}

async function createUser(db: Database, columns: Omit<Insertable<UserTable>, 'createdAt'>): Promise<User> {
  return findUser(db, await orTaken(insertRow(db, 'users', { ...columns, createdAt: new Date() })))
}

async function changeUser(db: Database, id: number, columns: Updateable<UserTable>): Promise<User> {
  if (Object.keys(columns).length > 0) {
    await orTaken(db.updateTable('users').set(columns).where('id', '=', id).execute())
  }
  return findUser(db, id)
}

/** The database is asked last and decides: a look beforehand would be outrun by a second request. */
async function orTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw isUniqueViolation(error)
      ? new ConflictError('This e-mail address is taken', { fields: { email: ['This e-mail address is taken'] } })
      : error
  }
}
