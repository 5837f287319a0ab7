import type { Express, Request, RequestHandler as Handler, Response, Router } from 'express'
import type { IdempotencyKey, Store as CrudStore } from 'resourcery/crud'
import type { Storage } from 'resourcery'
import type { z as Zod } from 'zod'

/* What the examples of docstrings use without saying where it comes from. */

interface User {
  id: number
  name: string
  role: string
}
interface Note {
  id: number
  title: string
}
interface Payment {
  id: number
  cents: number
}

declare global {
  const app: Express
  const admin: Router
  const router: Router
  const req: Request
  const res: Response
  const test: (name: string, run: () => Promise<void>) => void
  const z: typeof Zod
  const secret: string
  const id: number
  const user: User
  const rows: User[]
  const users: User[] & { add(fields: object): User; get(id: string): User | undefined }
  const notes: Iterable<Note> & { add(fields: object): Note; find(search: string): Note[] }
  const payments: CrudStore<Payment>
  const keys: CrudStore<IdempotencyKey>
  const storage: Storage
  const logger: { error(error: unknown): void }
  const database: { end(): Promise<void> }
  const exportUsers: () => Promise<void>
  const oldHandler: Handler
  type RequestHandler = Handler
  const log: (...values: unknown[]) => void
  const sales: () => number[]
}
