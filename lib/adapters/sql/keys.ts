import { MisuseError } from '../../core/index.js'
import type { Described } from './describe.js'
import type { SqlTable } from './table.js'

/** Returns the text of a key: a driver may return a number as one, and a uuid is sent in capitals by some clients. */
export function keyTexts<Db>({ key }: SqlTable<Db>, { catalog }: Described): (value: unknown) => string {
  const isUuid = catalog.column(key).kind === 'uuid'
  return (value) => (isUuid ? String(value).toLowerCase() : String(value))
}

/**
 * Checks that no two rows have one key: a statement about the row that was found would write the other one too, which
 * may belong to another tenant. Inside a transaction the error undoes what was written.
 *
 * @throws MisuseError `store_key`
 */
export function checkUnique<Db>({ name, key }: SqlTable<Db>, rows: number, keys: number): void {
  if (rows <= keys) return
  throw new MisuseError(
    'store_key',
    `Several rows of the table \`${name}\` have the same \`${key}\`: the key of a store must be unique in the whole `
      + 'table, and not only together with another column.',
  )
}
