import { Router } from 'express'
import { auth, mountResource, param, permission } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { z } from 'zod'
import { findUser } from './users'

const Note = z.object({ id: z.int(), title: z.string().min(1), done: z.boolean() })

export const api = Router()
api.use(
  auth('site', { verify: (req) => findUser(req.get('X-User')) }),
  permission('site', { roles: { staff: ['*'], guest: ['site.notes.list'] } }),
)
mountResource(api, {
  app: 'site',
  route: '/notes',
  name: 'notes',
  ...crud(memoryStore<z.infer<typeof Note>>({ key: 'id' }), {
    input: z.object({ title: z.string().min(1), done: param.bool().default(false) }),
    output: Note,
  }),
})
