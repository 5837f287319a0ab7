import { Router } from 'express'
import { mountResource } from 'resourcery'

/** A function that returns a router, under a name for `--export`. */
export async function assemble(): Promise<Router> {
  const router = Router()
  mountResource(router, { app: 'admin', route: '/users', name: 'users', handlers: { list: () => [] } })
  return Promise.resolve(router)
}

export default function needsArguments({ db }: { db: string }): string {
  return db
}

export const makesNothing = (): string => 'nothing'
export const number = 7
