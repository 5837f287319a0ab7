import { MisuseError } from '../errors.js'
import { ACTIONS, type ActionName } from './actions.js'
import { checkNothingLost } from './added-actions.js'
import { checkActionNames, toSpec } from './checks.js'
import { customActions } from './custom-actions.js'
import type {
  CustomActions, Declaration, Handlers, Input, LooseAction, MountedCustom, MountedDefaults, MountedNames, ResourceTraits,
} from './declaration.js'
import { mountActions, type Target } from './mount.js'
import type { Mounted, Schema } from './mounted.js'
import type { FileFields } from '../types.js'
import type { PlannedAction } from './plan.js'

/**
 * Adds the routes of one resource to a Router or an app: the default actions that have a handler, and the custom ones.
 *
 * A handler is `(req, res, args)` and returns what is to be sent, or sends it itself. Each route carries the permission
 * id `{app}.{name}.{action}`, which the pair of that app enforces; without `app` nothing is guarded.
 *
 * @throws MisuseError with a stable `code` for whatever is wrong with the declaration; nothing is mounted then.
 * @example
 * mountResource(admin, {
 *   app: 'admin', route: '/users', name: 'users',
 *   handlers: {
 *     list: (req) => paginate(users, RequestParam.page(req)),
 *     show: { input: z.object({ id: param.int() }), handler: (req, res, { id }) => findOrFail(users.find((user) => user.id === id)) },
 *   },
 * })
 */
export function mountResource<
  const Route extends string,
  const Name extends string,
  const CustomR extends Readonly<Record<string, string>>,
  const CustomI extends Readonly<Record<string, unknown>>,
  const CustomQ extends Readonly<Record<string, unknown>>,
  CustomO extends Readonly<Record<string, unknown>>,
  CustomF extends Readonly<Record<string, unknown>>,
  const ListI extends Input | undefined = undefined, ListO extends Schema | undefined = undefined,
  const ShowI extends Input | undefined = undefined, ShowO extends Schema | undefined = undefined,
  const CreateI extends Input | undefined = undefined, const CreateQ extends Input | undefined = undefined, CreateO extends Schema | undefined = undefined,
  CreateF extends FileFields | undefined = undefined,
  const EditI extends Input | undefined = undefined, const EditQ extends Input | undefined = undefined, EditO extends Schema | undefined = undefined,
  EditF extends FileFields | undefined = undefined,
  const StoreI extends Input | undefined = undefined, const StoreQ extends Input | undefined = undefined, StoreO extends Schema | undefined = undefined,
  StoreF extends FileFields | undefined = undefined,
  const DeleteI extends Input | undefined = undefined, DeleteO extends Schema | undefined = undefined,
  const DeleteManyI extends Input | undefined = undefined, DeleteManyO extends Schema | undefined = undefined,
  Handled extends ActionName = never,
  const Only extends readonly ActionName[] | false | undefined = undefined,
>(
  target: Target,
  declaration: ResourceTraits<Route, Name> & {
    readonly handlers?: Handlers<
      Route, ListI, ListO, ShowI, ShowO, CreateI, CreateQ, CreateO, CreateF, EditI, EditQ, EditO, EditF,
      StoreI, StoreQ, StoreO, StoreF, DeleteI, DeleteO, DeleteManyI, DeleteManyO
    > & Readonly<Partial<Record<Handled, unknown>>>
    /** The default actions to mount. @default all that have a handler */
    readonly actions?: Only
    readonly custom?: CustomActions<Route, CustomR, CustomI, CustomQ, CustomO, CustomF>
  },
): Mounted<
  Name,
  Pick<MountedDefaults<
    Route, ListI, ListO, ShowI, ShowO, CreateI, CreateQ, CreateO, CreateF, EditI, EditQ, EditO, EditF,
    StoreI, StoreQ, StoreO, StoreF, DeleteI, DeleteO, DeleteManyI, DeleteManyO
  >, MountedNames<Handled, Only>> & MountedCustom<Route, CustomR, CustomI, CustomQ, CustomO, CustomF>
> {
  // A value that is no zod schema is refused there, whatever its type.
  mountDeclaration(target, declaration as Declaration)
  return Object.freeze({})
}

/** The same once the types have done their work. */
export function mountDeclaration(target: Target, declaration: Declaration): void {
  const { handlers = {}, custom = {}, actions, ...group } = declaration
  const where = `The resource \`${group.name}\``
  checkNothingLost(where, declaration)
  mountActions(target, group, [...defaultActions(where, handlers, actions), ...customActions(custom)], ['handlers', 'custom', 'actions'])
}

function defaultActions(
  where: string,
  handlers: NonNullable<Declaration['handlers']>,
  actions: Declaration['actions'],
): PlannedAction[] {
  const known = Object.keys(ACTIONS) as ActionName[]
  checkActionNames(where, Object.keys(handlers), known)
  if (actions) checkActionNames(where, actions, known)
  const wanted = actions === false ? [] : (actions ?? known.filter((action) => handlers[action] !== undefined))
  return known.filter((action) => wanted.includes(action)).map((action) => defaultAction(where, action, handlers[action]))
}

function defaultAction(where: string, name: ActionName, action: LooseAction | undefined): PlannedAction {
  if (action === undefined) throw new MisuseError('handler_missing', `${where} lists the action \`${name}\`, for which there is no handler.`)
  const { method, path } = ACTIONS[name]
  return { name, methods: [method], paths: [path], spec: toSpec(action) }
}
