import { MisuseError } from '../errors.js'
import type { Declaration } from './declaration.js'

/** The key of the names of the actions that `crud` made; a symbol, so that spreading keeps it. */
export const addedActions: unique symbol = Symbol('addedActions')

/** What a maker of actions returns to be spread into a declaration. */
export interface WithAddedActions {
  readonly [addedActions]?: readonly string[]
}

/**
 * Checks that nothing behind a spread has replaced made actions: `{ ...crud(…), custom }` loses all that crud has put under `custom`.
 *
 * @throws MisuseError `actions_lost`; not where `actions` says what is to be mounted.
 */
export function checkNothingLost(where: string, { handlers = {}, custom = {}, actions, ...declaration }: Declaration & WithAddedActions): void {
  if (actions !== undefined) return
  const kept: Readonly<Record<string, unknown>> = { ...custom, ...handlers }
  const lost = (declaration[addedActions] ?? []).filter((name) => kept[name] === undefined)
  if (lost.length === 0) return
  const names = lost.map((name) => `\`${name}\``).join(', ')
  throw new MisuseError('actions_lost', `${where} loses the actions ${names} that crud made: \`handlers\` or \`custom\` behind \`...crud(…)\` replaces them. `
    + 'To add actions write `crud(store, { custom: { … } })`, to replace one spread the others (`handlers: { ...made.handlers, list }`), to mount fewer say `actions: […]`.')
}
