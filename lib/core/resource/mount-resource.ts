import { MisuseError } from '../base/errors.js'
import { OBJECT } from '../base/forms.js'
import { keysOf } from '../base/guards.js'
import type { FileFields } from '../base/types.js'
import { Extension, withoutExtension } from '../routing/extension.js'
import { ACTIONS } from './actions.js'
import { checkActionNames, toSpec } from './checks.js'
import { ACTION_LIST, checkForm } from './forms.js'
import type { ActionName, Mounted, MountedCustom, MountedDefaults, MountedNames, Schema } from './mounted.js'
import type { Declaration, LooseAction } from './loose-declaration.js'
import type { Action, CustomActions, Input, ResourceTraits } from './declaration.js'
import { customActions, mountActions, type PlannedAction, type PlannedGroup, type Target } from './mount.js'

/** The type of {@link mountResource}; the type parameters are inferred from the declaration. */
interface MountResource {
  /**
   * Mounts the routes of one resource on a Router or an app: the default actions that have a handler, and the custom
   * ones.
   *
   * A handler is `(req, res, args)` and returns the value to send, or sends a reply itself. Each route has the
   * permission id `{app}.{name}.{action}`, which `auth` and `permission` of that app enforce; without `app` the guards
   * in front decide.
   *
   * @throws MisuseError with a stable `code` for an invalid declaration, such as `option_unknown`, `action_unknown` or
   * `route_taken`: docs/codes.md lists them. Nothing is mounted then.
   * @example
   * mountResource(admin, {
   *   app: 'admin', route: '/users', name: 'users',
   *   handlers: {
   *     list: (req) => paginate(users, RequestParam.page(req)),
   *     show: {
   *       input: z.object({ id: param.int() }),
   *       handler: (req, res, { id }) => findOrFail(users.find((user) => user.id === id)),
   *     },
   *   },
   * })
   */
  // eslint-disable-next-line @typescript-eslint/prefer-function-type -- editors show the docs of a call signature
  <
    const Route extends string,
    const Name extends string,
    const CustomR extends Readonly<Record<string, string>>,
    const CustomI extends Readonly<Record<string, unknown>>,
    const CustomQ extends Readonly<Record<string, unknown>>,
    CustomO extends Readonly<Record<string, unknown>>,
    const CustomF extends Readonly<Record<string, unknown>>,
    const ListI extends Input | undefined = undefined,
    ListO extends Schema | undefined = undefined,
    const ShowI extends Input | undefined = undefined,
    ShowO extends Schema | undefined = undefined,
    const CreateI extends Input | undefined = undefined,
    const CreateQ extends Input | undefined = undefined,
    CreateO extends Schema | undefined = undefined,
    const CreateF extends FileFields | undefined = undefined,
    const EditI extends Input | undefined = undefined,
    const EditQ extends Input | undefined = undefined,
    EditO extends Schema | undefined = undefined,
    const EditF extends FileFields | undefined = undefined,
    const StoreI extends Input | undefined = undefined,
    const StoreQ extends Input | undefined = undefined,
    StoreO extends Schema | undefined = undefined,
    const StoreF extends FileFields | undefined = undefined,
    const DeleteI extends Input | undefined = undefined,
    DeleteO extends Schema | undefined = undefined,
    const DeleteManyI extends Input | undefined = undefined,
    DeleteManyO extends Schema | undefined = undefined,
    Handled extends ActionName = never,
    const Only extends readonly ActionName[] | false | undefined = undefined,
  >(
    target: Target,
    declaration: ResourceTraits<Route, Name> & {
      readonly handlers?: {
        readonly list?: Action<Route, ListI, undefined, ListO>
        readonly show?: Action<`${Route}/:id`, ShowI, undefined, ShowO>
        readonly create?: Action<Route, CreateI, CreateQ, CreateO, CreateF>
        readonly edit?: Action<`${Route}/:id`, EditI, EditQ, EditO, EditF>
        readonly store?: Action<`${Route}/:id`, StoreI, StoreQ, StoreO, StoreF, true>
        readonly delete?: Action<`${Route}/:id`, DeleteI, undefined, DeleteO>
        readonly deleteMany?: Action<Route, DeleteManyI, undefined, DeleteManyO>
      } & Readonly<Partial<Record<Handled, unknown>>>
      /** The default actions to mount. @default all that have a handler */
      readonly actions?: Only
      readonly custom?: CustomActions<Route, CustomR, CustomI, CustomQ, CustomO, CustomF>
    },
  ): Mounted<
    Name,
    Pick<MountedDefaults<
      Route,
      ListI,
      ListO,
      ShowI,
      ShowO,
      CreateI,
      CreateQ,
      CreateO,
      CreateF,
      EditI,
      EditQ,
      EditO,
      EditF,
      StoreI,
      StoreQ,
      StoreO,
      StoreF,
      DeleteI,
      DeleteO,
      DeleteManyI,
      DeleteManyO
    >, MountedNames<Handled, Only>> & MountedCustom<Route, CustomR, CustomI, CustomQ, CustomO, CustomF>
  >
}

/** Mounts the routes of one resource on a Router or an app. */
export const mountResource: MountResource = (target, declaration) => {
  // Values are checked there, whatever their types.
  mountDeclaration(target, declaration as Declaration)
  return Object.freeze({})
}

/** Mounts a resource without checking types. */
export function mountDeclaration(target: Target, declaration: Declaration): void {
  mountActions(target, planGroup(declaration))
}

/** Returns the actions of a declared resource. */
export function planGroup(declaration: Declaration): PlannedGroup {
  checkForm('mountResource', 'declaration', declaration, OBJECT)
  const { handlers = {}, custom = {}, actions, ...group } = withoutExtension(declaration)
  const where = `The resource \`${group.name}\``
  checkForm(where, 'handlers', handlers, OBJECT)
  checkForm(where, 'custom', custom, OBJECT)
  if (actions !== undefined) checkForm(where, 'actions', actions, ACTION_LIST)
  checkNothingLost(where, declaration)
  if (actions) checkListed(where, actions, declaration)
  return {
    group,
    actions: [...defaultActions(where, handlers, actions), ...customActions(custom)],
    ownOptions: ['handlers', 'custom', 'actions'],
    adviceIfEmpty: actions === undefined ? ADVICE : undefined,
  }
}

const ADVICE = 'declare some in `handlers` or `custom`, or write `actions: []` if it is to have none'

function defaultActions(
  where: string,
  handlers: NonNullable<Declaration['handlers']>,
  actions: Declaration['actions'],
): PlannedAction[] {
  const allowed = keysOf(ACTIONS)
  checkActionNames(where, Object.keys(handlers), allowed)
  if (actions) checkActionNames(where, actions, allowed)
  const wanted = actions === false ? [] : (actions ?? allowed.filter((action) => handlers[action] !== undefined))
  return allowed.filter((action) => wanted.includes(action)).map(
    (action) => defaultAction(where, action, handlers[action]),
  )
}

function defaultAction(where: string, name: ActionName, action: LooseAction | undefined): PlannedAction {
  if (action === undefined) {
    throw new MisuseError('handler_missing', `${where} lists the action \`${name}\`, which has no handler.`)
  }
  const { method, path } = ACTIONS[name]
  return { name, methods: [method], paths: [path], spec: toSpec(action) }
}

/** @throws MisuseError `action_unknown` for an action of `custom` or of an option of crud in `actions`. */
function checkListed(where: string, names: readonly string[], { custom = {}, extension }: Declaration): void {
  const { optionByAction = {} } = extension instanceof Extension ? extension.parts : {}
  for (const name of names) {
    const fault = Object.hasOwn(custom, name)
      ? `always mounts the action \`${name}\`, which is in \`custom\`: remove it from \`actions\`, which`
      : Object.hasOwn(optionByAction, name)
      ? `has no action \`${name}\`: the option \`${optionByAction[name] ?? ''}\` of crud adds it, and \`actions\``
      : undefined
    if (fault !== undefined) {
      throw new MisuseError('action_unknown', `${where} ${fault} lists default actions only.`)
    }
  }
}

/**
 * Checks that no action was lost after a spread: in `{ ...crud(…), custom }` the new `custom` replaces the one of
 * crud.
 *
 * @throws MisuseError `actions_lost`, unless `actions` lists what to mount.
 */
function checkNothingLost(
  where: string,
  { handlers = {}, custom = {}, actions, extension }: Declaration,
): void {
  if (actions !== undefined) return
  const kept: Readonly<Record<string, unknown>> = { ...custom, ...handlers }
  const { addedActions = [] } = extension instanceof Extension ? extension.parts : {}
  const lost = addedActions.filter((name) => kept[name] === undefined)
  if (lost.length === 0) return
  const names = lost.map((name) => `\`${name}\``).join(', ')
  throw new MisuseError('actions_lost', `${where} loses the actions ${names} of crud: \`handlers\` or \`custom\` `
    + `after \`...crud(…)\` replaces them. `
    + 'To add actions write `crud(store, { custom: { … } })`, to replace one spread the others (`handlers: { '
    + '...made.handlers, list }`), to mount fewer give `actions: […]`.')
}
