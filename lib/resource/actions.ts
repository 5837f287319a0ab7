/** One default action: what stands in the table of a resource, and nothing else. */
export interface ActionRow {
  readonly method: string
  /** Behind the resource's route. */
  readonly path: '' | '/:id'
  /** The status of a success. */
  readonly status: number
  /** Begins the default summary, before the name of the resource. */
  readonly verb: string
  /** Whether the action is about one record or about many. */
  readonly one: boolean
}

/** The seven default actions, in the order in which they are listed. */
export const ACTIONS = Object.freeze({
  list: { method: 'GET', path: '', status: 200, verb: 'List', one: false },
  show: { method: 'GET', path: '/:id', status: 200, verb: 'Show', one: true },
  create: { method: 'POST', path: '', status: 201, verb: 'Create', one: true },
  edit: { method: 'PUT', path: '/:id', status: 200, verb: 'Replace', one: true },
  store: { method: 'PATCH', path: '/:id', status: 200, verb: 'Change', one: true },
  delete: { method: 'DELETE', path: '/:id', status: 200, verb: 'Delete', one: true },
  deleteMany: { method: 'DELETE', path: '', status: 200, verb: 'Delete several', one: false },
} as const satisfies Record<string, ActionRow>)

export type ActionName = keyof typeof ACTIONS

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name)
}
