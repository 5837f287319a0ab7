import { checkOptionNames, ignoreFailure, isList, isObject, messageOf, MisuseError, show } from '../../core/index.js'
import { checkValues, checkWhere, createTurns, withoutUndefined, inTurn, misfit, stateInTurn, UniqueViolation,
  withTurns, type AnyWhere, type Store, type Turn } from '../../crud/contract/index.js'
import { isDecimal, remember, testOf, type AnyRow, type SeenTypes } from './matches.js'
import { Overlay, type Entries } from './overlay.js'
import { sourceOf } from './rows-in-order.js'
import { sumOf } from './sum.js'
import { releaseValues, takeValues, type Taken, type Unique } from './unique.js'

export interface MemoryOptions<Row extends object> {
  readonly key: keyof Row & string
  /**
   * Fields of which no two rows have the same value; a list is a combination of fields: `['email', ['team', 'slug']]`.
   * Nulls are never the same.
   */
  readonly unique?: readonly ((keyof Row & string) | readonly (keyof Row & string)[])[] | undefined
  /** Values of missing fields in new rows, like the defaults of columns. @default nothing */
  readonly defaults?: Partial<Row> | undefined
  /**
   * The types of columns whose strings are compared and sorted as something else: `{ price: 'decimal' }`.
   *
   * @default every string is compared by its characters
   */
  readonly columns?: { readonly [K in keyof Row]?: NonNullable<Row[K]> extends string ? 'decimal' : never } | undefined
  /** The rows at the start. @default none */
  readonly rows?: readonly Row[] | undefined
  /** The key of a row that comes without one. @default the largest number or bigint so far, and one */
  readonly newKey?: (() => string | number | bigint) | undefined
}

interface State {
  /** All rows by their key. */
  readonly rows: Entries<unknown, AnyRow>
  readonly taken: Taken
  lastKey: number | bigint
  readonly decimals: ReadonlySet<string>
  /** Shared with transactions, also with those that are undone: it only grows. */
  readonly seen: SeenTypes
}

/**
 * Makes a store in the memory of this process, for tests, samples and small lists; it is the reference for all others.
 *
 * One transaction runs at a time; reads outside of it see the rows as they were before it.
 *
 * @throws MisuseError `memory_option_unknown` for an option that does not exist, `memory_key` without a key,
 * `memory_columns` for a type that does not exist, `memory_unique` for a `unique` that holds anything but fields and
 * lists of fields, `memory_rows` when two rows have the same key or the same value of a unique field.
 * @example
 * const notes = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
 */
export function memoryStore<Row extends object>(options: MemoryOptions<Row>): Store<Row, undefined>
export function memoryStore(options: MemoryOptions<AnyRow>): Store<AnyRow, undefined> {
  checkOptionNames('memoryStore', options, ['key', 'unique', 'defaults', 'columns', 'rows', 'newKey'],
    'memory_option_unknown')
  const { key, defaults = {}, rows = [], newKey } = options
  checkKey(key)
  const stored = { rows: new Map<unknown, AnyRow>(), taken: new Map<string, unknown>() }
  const state: State = { ...stored, lastKey: 0, seen: new Map(), decimals: decimalsOf(options) }
  const constraints: Constraints = { key, unique: uniqueOf(options), defaults, newKey }
  try {
    for (const row of rows) insert(state, constraints, row)
  } catch (cause) {
    throw new MisuseError('memory_rows', `The rows of a memoryStore do not go together: ${String(cause)}.`)
  }
  const turns = createTurns()
  const copyIn = (turn: Turn): State => {
    const copied = turn.copies.get(turns)
    if (copied !== undefined) return copied.state as State
    const [rows, taken] = [new Overlay(stored.rows), new Overlay(stored.taken)]
    const copy: State = { ...state, rows, taken }
    const commit = (): void => {
      rows.apply()
      taken.apply()
      state.lastKey = copy.lastKey
    }
    turn.copies.set(turns, { state: copy, commit })
    return copy
  }
  const store = storeOf(constraints, {
    state: () => (turns.isShared ? stateInTurn(turns) as State | undefined : undefined) ?? state,
    write: (work) => inTurn(turns, (turn) => Promise.resolve(turn.isOutermost ? state : copyIn(turn)).then(work)),
    transaction: (work) =>
      inTurn(turns, async (turn) => {
        const copy = copyIn(turn)
        const result = await work(storeOf(constraints, insideOf(constraints, copy)))
        if (turn.isOutermost) { for (const { commit } of turn.copies.values()) commit() }
        return result
      }),
  })
  return withTurns(store, turns)
}

/** Checks what a program in JavaScript gives. */
function checkKey(key: unknown): void {
  if (typeof key === 'string' && key !== '') return
  throw new MisuseError(
    'memory_key',
    `\`key\` of memoryStore must be the field that identifies a row, not ${show(key)}: write key: 'id'.`,
  )
}

/** Returns the names of the columns that hold decimals. */
function decimalsOf({ columns = {} }: { readonly columns?: unknown }): ReadonlySet<string> {
  if (!isObject(columns)) {
    throw new MisuseError('memory_columns', `\`columns\` of memoryStore must be an object, not ${show(columns)}.`)
  }
  for (const [name, type] of Object.entries(columns)) {
    if (type === 'decimal') continue
    throw new MisuseError(
      'memory_columns',
      `\`columns.${name}\` of memoryStore is ${show(type)}. The only type is 'decimal', for a string of digits.`,
    )
  }
  return new Set(Object.keys(columns))
}

/** Returns the fields of each unique constraint but the key's. */
function uniqueOf({ key, unique = [] }: { readonly key: string; readonly unique?: unknown }): Constraints['unique'] {
  const isField = (name: unknown): name is string => typeof name === 'string' && name !== ''
  const isConstraint = (constraint: unknown): constraint is string | readonly string[] =>
    isField(constraint) || (isList(constraint) && constraint.length > 0 && constraint.every(isField))
  if (!isList(unique) || unique.includes(undefined) || !unique.every(isConstraint)) {
    const odd = isList(unique) ? unique.find((constraint) => !isConstraint(constraint)) : unique
    throw new MisuseError(
      'memory_unique',
      `\`unique\` of memoryStore holds fields, and lists of fields that are unique together, not ${show(odd)}: write `
        + "unique: ['email', ['team', 'slug']].",
    )
  }
  return unique.map((constraint) => [constraint].flat()).filter((fields) => fields.length > 1 || fields[0] !== key)
}

interface Constraints {
  readonly key: string
  readonly unique: Unique
  readonly defaults: object
  readonly newKey: MemoryOptions<AnyRow>['newKey'] | undefined
}

interface Access {
  readonly state: () => State
  readonly write: <T>(work: (state: State) => T) => Promise<T>
  readonly transaction: <T>(work: (store: Store<AnyRow, undefined>) => Promise<T>) => Promise<T>
}

/** Returns the access inside a transaction, which works on a copy; a nested transaction joins it. */
function insideOf(constraints: Constraints, copy: State): Access {
  const access: Access = {
    state: () => copy,
    write: (work) => Promise.resolve(copy).then(work),
    transaction: (work) => work(storeOf(constraints, access)),
  }
  return access
}

function storeOf(constraints: Constraints, { state, write, transaction }: Access): Store<AnyRow, undefined> {
  return {
    key: constraints.key,
    db: undefined,
    list({ where, order }) {
      checkWhere(where)
      return sourceOf(() => [...state().rows.values()].filter(testOf(where, state())), order, state())
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- its errors are those of a promise
    async find(keys, where: AnyWhere = []) {
      checkWhere([...where, [constraints.key, 'in', keys]])
      const current = state()
      const matches = where.length === 0 ? undefined : testOf(where, current)
      const rows: AnyRow[] = []
      for (const key of new Set(keys)) {
        const row = current.rows.get(key)
        if (row !== undefined && matches?.(row) !== false) rows.push(structuredClone(row))
      }
      return rows
    },
    sum: (columns, where = []) =>
      Promise.resolve().then(() => {
        checkWhere(where)
        const found = [...state().rows.values()].filter(testOf(where, state()))
        return Object.fromEntries(columns.map((column) => [column, sumOf(column, found.map((row) => row[column]))]))
      }),
    create: (fields) => write((current) => insert(current, constraints, fields)),
    update: (key, changes) =>
      write((current) => {
        checkWhere([[constraints.key, 'in', [key]]])
        return replace(current, constraints, key, changes)
      }),
    delete: (keys) =>
      write((current) => {
        checkWhere([[constraints.key, 'in', keys]])
        return [...new Set(keys)].filter((key) => remove(current, constraints, key)).length
      }),
    transaction,
  }
}

function insert(state: State, { key, unique, defaults, newKey }: Constraints, fields: AnyRow): AnyRow {
  const made = fields[key] ?? newKey?.() ?? following(state.lastKey)
  ignoreFailure(made)
  const row = freezeRow(state, { ...defaults, ...withoutUndefined(fields), [key]: made })
  if (state.rows.has(row[key])) throw new UniqueViolation({ columns: [key] })
  takeValues(state, unique, { key: row[key], row })
  state.rows.set(row[key], row)
  remember(state.seen, row)
  const own = row[key]
  if ((typeof own === 'number' || typeof own === 'bigint') && own > state.lastKey) state.lastKey = own
  return structuredClone(row)
}

function following(key: number | bigint): number | bigint {
  return typeof key === 'bigint' ? key + 1n : key + 1
}

function replace(
  state: State,
  { key: keyField, unique }: Constraints,
  key: unknown,
  changes: AnyRow,
): AnyRow | undefined {
  const { rows, seen } = state
  const old = rows.get(key)
  if (old === undefined) return undefined
  const row = freezeRow(state, { ...old, ...withoutUndefined(changes), [keyField]: key })
  takeValues(state, unique, { key, row }, old)
  rows.set(key, row)
  remember(seen, row)
  return structuredClone(row)
}

function remove(state: State, { unique }: Constraints, key: unknown): boolean {
  const row = state.rows.get(key)
  if (row !== undefined) releaseValues(state, unique, row)
  return state.rows.delete(key)
}

/** The stored rows, which callers cannot change. */
function freezeRow({ decimals }: State, row: AnyRow): AnyRow {
  checkValues(row)
  for (const name of decimals) {
    const value = row[name] ?? null
    if (value !== null && !isDecimal(value)) throw misfit(name, messageOf('field.type.decimal'))
  }
  return structuredClone(row)
}
