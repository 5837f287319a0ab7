import { Router } from 'express'
import { mountResource } from 'resourcery'

/** A router from a function, under a name that has to be told. */
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
