import type * as express from 'express'
import { auth, authOf, HttpError, mountResource, NotFoundError, param, type Auth, type Reason } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'
import { sendCsv } from 'resourcery/csv'
import { fromDrizzle } from 'resourcery/drizzle'
import { dux } from 'resourcery/dux'
import { fromKnex } from 'resourcery/knex'
import { kyselyStore } from 'resourcery/kysely'
import { mcpRouter } from 'resourcery/mcp'
import { fromMongoose } from 'resourcery/mongoose'
import { openapi } from 'resourcery/openapi'
import { fromPrisma } from 'resourcery/prisma'
import { dataProvider } from 'resourcery/react-admin'
import { authProvider } from 'resourcery/refine'
import { fromSequelize } from 'resourcery/sequelize'
import { inject } from 'resourcery/testing'
import { fromTypeorm } from 'resourcery/typeorm'
import { z } from 'zod'

/*
 * A module that imports every subpath, and compiles under settings of all kinds: types.ts lists them. It needs neither
 * `esModuleInterop` nor `strict`.
 */
export const subpaths = { createClient, sendCsv, fromDrizzle, dux, fromKnex, kyselyStore, mcpRouter, fromMongoose,
  openapi, fromPrisma, dataProvider, authProvider, fromSequelize, inject, fromTypeorm }

const secret = 'a secret of this file with enough bytes'
export const signIn = auth('office', { secret })
export const loading = auth('office', { secret, load: { seconds: 60, run: ({ id }) => ({ id }) } })
export const several = auth('office', [{ secret, load: { seconds: 60, run: ({ id }) => ({ id }) } }])

export function mount(app: express.Application) {
  return mountResource(app, {
    route: '/notes',
    name: 'notes',
    ...crud(memoryStore<{ id: number; title: string }>({ key: 'id' }), {
      input: z.object({ title: z.string() }),
      output: z.object({ id: z.int(), title: z.string() }),
    }),
    custom: {
      mine: {
        methods: 'GET',
        route: '/mine',
        input: z.object({ limit: param.int() }),
        handler: (req) => authOf(req, 'office')?.role?.toUpperCase(),
      },
    },
  })
}

export const missing: Reason = 'not_found'

export function reasonOf(error: unknown, { id }: Auth): string | undefined {
  if (error instanceof NotFoundError) return `${error.status} ${String(id)}`
  return error instanceof HttpError ? error.reason : undefined
}
