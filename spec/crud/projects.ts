import type { Request } from 'express'
import { z } from 'zod'
import { crud, memoryStore, raw } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { servingRoutes } from './serving.js'

export interface Project {
  id: number
  name: string
  team: number
}

const memberOf = (req: Request): number => Number(req.get('x-user'))

/** Serves projects, each for its members alone; `joins` adds the caller to a project that is created. */
export async function projects(options: object = {}, joins = true) {
  const store = memoryStore<Project>({ key: 'id', defaults: { team: 1 } })
  const members = new Map<number, number>()
  const resource = crud(store, {
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.int(), name: z.string() }),
    scope: (req) => [raw((project: Project) => members.get(project.id) === memberOf(req))],
    ...(joins && {
      after: {
        create: (project: Project, { req }: { req: Request }) => {
          if (!project.name.startsWith('x')) members.set(project.id, memberOf(req))
        },
      },
    }),
    ...options,
  })
  const client = await servingRoutes((app) => {
    mountResource(app, { route: '/projects', name: 'projects', ...resource } as never)
  })
  const names = async (): Promise<string[]> =>
    (await store.list({ where: [], order: ['id'] }).slice(0, 9)).map((
      { name },
    ) => name)
  return { ...client, names, store, members }
}

export const inUser = { 'x-user': '7' }
