import { z } from 'zod'
import { checkOptionNames, MisuseError, pathNamesOf } from '../../../core/index.js'
import type { CrudAction, CrudPlan, Feature } from '../../core/index.js'
import { changingHandler, runningHandler } from './handlers.js'
import type { AnyMember } from './options.js'

type Members = Readonly<Record<string, AnyMember>>

const NAMES = ['methods', 'route', 'input', 'output', 'message', 'change', 'run']

/** Adds actions on one row. */
export const members: Feature<{ readonly members?: Members }, Members> = {
  options: { members: 'object' },
  hooks: (settings) => Object.keys(settings),
  settingsOf({ members: option }, _key, reserved) {
    if (option === undefined) return undefined
    for (const [name, member] of Object.entries(option)) checkMember(name, member, reserved)
    return option
  },
  install: (plan, settings) => ({
    actions: Object.fromEntries(Object.entries(settings).map(([name, member]) => [name, actionOf(plan, name, member)])),
  }),
}

/**
 * @throws MisuseError `crud_members` for a member that cannot be an action; `crud_option_unknown` for a name that a
 * member does not have.
 */
function checkMember(name: string, member: AnyMember, reserved: readonly string[]): void {
  checkOptionNames(`\`members.${name}\` of crud`, member, NAMES, {}, 'crud_option_unknown')
  const { route = `/:id/${name}`, input, output, change, run } = member
  const wrong = reserved.includes(name)
    ? 'has the name of an action that crud makes itself'
    : !pathNamesOf(route).includes('id')
    ? `has the route \`${route}\` without \`:id\`, which names the row`
    : input !== undefined && Object.hasOwn(input.shape, 'id')
    ? 'has `id` in its `input`, although only the path names the row'
    : [change, run].filter((work) => typeof work === 'function').length !== 1
    ? 'needs one of two functions: `change`, which returns the columns to write, or `run`, which returns the reply'
    : output !== undefined && change !== undefined
      && 'has an `output` beside `change`, which replies with the record: that is for `run`'
  if (wrong !== false) throw new MisuseError('crud_members', `The member \`${name}\` of crud ${wrong}.`)
}

function actionOf(plan: CrudPlan, name: string, member: AnyMember): CrudAction {
  const { schemas } = plan
  const { methods = 'POST', route = `/:id/${name}`, input = z.object({}), change, run, output, message } = member
  const spec = { methods, route, input: input.safeExtend({ id: schemas.id }) }
  const effect = { changesRows: true, repeats: true }
  if (run !== undefined) {
    const sent = { output: output ?? z.unknown(), message: message ?? 'ok' }
    return { spec: { ...spec, ...sent, handler: runningHandler(plan, name, { input, run }) }, effect }
  }
  const handler = changingHandler(plan, name, { input, change: change ?? (() => ({})) })
  return {
    spec: { ...spec, output: schemas.output, message: message ?? 'Saved', handler },
    effect: { ...effect, repliesRecord: true },
  }
}
