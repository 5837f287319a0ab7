import type { Store } from '../../lib/store.js'

/** A store that is another one at each call: one server stands for many runs, each of which begins with a store of its own. */
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
