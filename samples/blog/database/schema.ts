import type { Generated, Kysely, Selectable } from 'kysely'
import type { IdempotencyKey } from 'resourcery/crud'

export interface UserTable {
  id: Generated<number>
  name: string
  /** In lower case, so that one address is one account. */
  email: string
  status: number
  age: number | null
  role: string | null
  avatarUrl: string | null
  createdAt: Date
  /** `null` for somebody who cannot sign in. */
  passwordHash: string | null
}

export interface PostTable {
  id: Generated<number>
  title: string
  content: string
  category: string
  status: number
  authorId: number
  createdAt: Date
  /** When the post was soft-deleted, or `null`. A soft-deleted post still belongs to its author. */
  deletedAt: Date | null
}

export interface OrderTable {
  id: Generated<number>
  /** `null` once the user is deleted: an order stays in the books. */
  userId: number | null
  /** A list as JSON. */
  items: string
  /** A decimal, which drivers hand over as text so that no cent is lost. */
  total: string
  status: string
  createdAt: Date
}

export interface Tables {
  users: UserTable
  posts: PostTable
  orders: OrderTable
  /** Requests that came with an `Idempotency-Key`. */
  idempotency_keys: IdempotencyKey
}

export type UserRow = Selectable<UserTable>
export type PostRow = Selectable<PostTable>

/** An order as a store has it. */
export interface OrderRow extends Omit<Selectable<OrderTable>, 'items' | 'total'> {
  items: unknown
  total: number
}

/** The tables whose rows have ids of the database's making. */
export type RowTable = Exclude<keyof Tables, 'idempotency_keys'>

/** The database, or a transaction on it. */
export type Database = Kysely<Tables>
