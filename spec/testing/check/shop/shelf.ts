import type { Request, Response, Router } from 'express'
import { findOrFail, mountResource, paginate, param, RequestParam } from 'resourcery'
import { z } from 'zod'

export type Fields = Record<string, unknown>
export type Row = Fields & { id: number }

/** A handler of a shelf; without one of its own an action does what everybody expects. */
export type ShelfHandler = (shelf: Shelf, req: Request, res: Response, args: Fields) => unknown

type Action = 'list' | 'show' | 'create' | 'edit' | 'store' | 'delete'

export interface ShelfOptions extends Partial<Record<Action, ShelfHandler>> {
  readonly fields: z.ZodObject
  readonly rows?: readonly Fields[]
  /** The fields of a reply. @default `id` and `fields` */
  readonly output?: z.ZodObject
  /** The fields of a partial update. @default `fields` */
  readonly changes?: z.ZodObject
  /** The query of the list. */
  readonly query?: z.ZodObject
  /** The argument of a path with an id. */
  readonly id?: z.ZodType
  readonly actions?: readonly Action[]
  /** Returns true for rows that a caller may know. */
  readonly isOwn?: (req: Request, row: Row) => boolean
}

/** The rows of one collection. */
export class Shelf {
  readonly rows: Row[]
  readonly #options: ShelfOptions

  constructor(options: ShelfOptions) {
    this.#options = options
    this.rows = (options.rows ?? []).map((row, index) => ({ ...row, id: index + 1 }))
  }

  own(req: Request): Row[] {
    const { isOwn } = this.#options
    return this.rows.filter((row) => isOwn?.(req, row) ?? true)
  }

  byId(req: Request, id: unknown): Row {
    return findOrFail(this.own(req).find((row) => row.id === id))
  }

  add(fields: Fields): Row {
    const row = { ...fields, id: Math.max(0, ...this.rows.map(({ id }) => id)) + 1 }
    this.rows.push(row)
    return row
  }

  remove(row: Row): void {
    this.rows.splice(this.rows.indexOf(row), 1)
  }
}

const DEFAULTS: Readonly<Record<Action, ShelfHandler>> = {
  list: (shelf, req, res, query) => paginate(matching(shelf.own(req), query), RequestParam.page(req)),
  show: (shelf, req, res, { id }) => shelf.byId(req, id),
  create: (shelf, req, res, fields) => shelf.add(fields),
  edit: (shelf, req, res, { id, ...fields }) => Object.assign(shelf.byId(req, id), fields),
  store: (shelf, req, res, { id, ...fields }) => Object.assign(shelf.byId(req, id), fields),
  delete: (shelf, req, res, { id }) => {
    shelf.remove(shelf.byId(req, id))
    return null
  },
}

function matching(rows: readonly Row[], query: Fields): Row[] {
  return rows.filter((row) =>
    Object.entries(query).every(([name, value]) => value === undefined || row[name] === value)
  )
}

/** Mounts a resource whose rows are kept in memory. */
export function mountShelf(router: Router, name: string, options: ShelfOptions): Shelf {
  const shelf = new Shelf(options)
  const { fields, changes = fields, query = z.object({}), actions = ['list', 'show', 'create', 'store', 'delete'] } =
    options
  const output = options.output ?? z.object({ id: z.int(), ...fields.shape })
  const id = z.object({ id: options.id ?? param.int() })
  const run = (action: Action) => (req: Request, res: Response, args: Fields): unknown =>
    (options[action] ?? DEFAULTS[action])(shelf, req, res, args)
  const all = {
    list: { input: query, output: z.array(output), handler: run('list') },
    show: { input: id, output, handler: run('show') },
    create: { input: fields, output, handler: run('create') },
    edit: { input: id.extend(fields.shape), output, handler: run('edit') },
    store: { input: id.extend(changes.partial().shape), output, handler: run('store') },
    delete: { input: id, handler: run('delete') },
  }
  const handlers = Object.fromEntries(Object.entries(all).filter(([action]) => actions.some((one) => one === action)))
  mountResource(router, { app: 'shop', route: `/${name}`, name: name.replaceAll('/', '.').replaceAll(/\.:\w+/g, ''),
    handlers })
  return shelf
}

/** Returns rows of a name and what else is given. */
export function named(name: string, count: number, more: (index: number) => Fields = () => ({})): Fields[] {
  return Array.from({ length: count }, (_, index) => ({ name: `${name} ${index + 1}`, ...more(index) }))
}

export const Named = z.object({ name: z.string().min(1).max(200) })
