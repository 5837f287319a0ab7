import type { Request } from 'express'
import { checkFunction, MisuseError, propertyOf } from '../../../core/index.js'
import type { Store } from '../../contract/index.js'

/** The row that is stored for a request with a key: its table has these five columns, `id` being the primary key. */
export interface IdempotencyKey {
  /** A digest of the caller, the route and the key: 64 characters. */
  id: string
  /** A digest of the request: 64 characters. */
  fingerprint: string
  /**
   * The process that carries it out, at most 36 characters; a process that finds another claim here has lost the key.
   */
  claim: string
  /**
   * In milliseconds since 1970, so a `bigint`: when another process may carry it out, or, once it is done, when it is
   * deleted.
   */
  expiresAt: number
  /**
   * The reply: a line of JSON, and below it the body. A string of any length, in MySQL a `mediumtext`; `null` while the
   * first request runs.
   */
  reply: string | null
}

export type Keys = Store<IdempotencyKey>

export interface IdempotencyOptions<Db> {
  /**
   * The store of the keys, in the database of the rows. Inside a transaction it is called with the `db` of that
   * transaction, so that a row and its key are written together or not at all.
   */
  readonly keys: (db: Db) => Keys
  /** The time in which a repeat gets the first reply, in seconds, at most 366 days. @default 86_400 */
  readonly seconds?: number | undefined
  /** True if a request without a key is refused. @default false */
  readonly required?: boolean | undefined
  /** Returns the owner of a key; where there is none, a key is refused. @default req.auth?.id */
  readonly identity?: (req: Request) => string | number | undefined
}

export const IDEMPOTENCY_OPTIONS: readonly (keyof IdempotencyOptions<unknown>)[] = ['keys', 'seconds', 'required',
  'identity']

export interface IdempotencyOption<Db> {
  /**
   * Carries out a creation with an `Idempotency-Key` once: its repeats get the first reply. @default the header is not
   * read
   */
  readonly idempotency?: IdempotencyOptions<Db> | undefined
}

const LONGEST = 366 * 86_400

/** Checks the options. @throws MisuseError `idempotency_seconds`, `option_function`, `idempotency_keys` */
export function checkIdempotency<Db>({ keys, seconds = 86_400 }: IdempotencyOptions<Db>, db: Db): void {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= LONGEST)) {
    throw new MisuseError(
      'idempotency_seconds',
      `\`seconds\` of idempotency must be a number above 0 and at most ${LONGEST}.`,
    )
  }
  checkFunction('`keys` of idempotency', keys)
  const store = keys(db)
  if (propertyOf(store, 'key') !== 'id') {
    throw new MisuseError('idempotency_keys', '`keys` of idempotency must return a store whose key is `id`.')
  }
  // Two stores without a database have no rows in common.
  if (store.db === undefined && keys(db) !== store) {
    throw new MisuseError(
      'idempotency_keys',
      '`keys` of idempotency returns a new store in memory each time, which has no keys: make the store once, and '
        + 'return it.',
    )
  }
}
