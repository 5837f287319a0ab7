import type { Store } from 'resourcery/crud'

/**
 * Creates a store that forwards each call to the current one, so that one server can be used for many runs with new
 * stores.
 */
export function forwardingStore<Row extends { readonly id: number }>(current: () => Store<Row>): Store<Row> {
  return {
    key: 'id',
    db: undefined,
    list: (query) => current().list(query),
    find: (keys, where) => current().find(keys, where),
    create: (fields) => current().create(fields),
    update: (key, changes) => current().update(key, changes),
    delete: (keys) => current().delete(keys),
    transaction: (work) => current().transaction(work),
  }
}
