import { askFieldRules, explainingErrors, runAfterCommit, tenancyOf, type Call, type CrudHandler, type CrudSpec,
  type Feature, type Written } from '../../core/index.js'
import { onceOf, type Binding } from './once.js'
import { IDEMPOTENCY_OPTIONS, type IdempotencyOptions } from './options.js'
import { neededKeyOf, withKeyTraits } from './request-key.js'

/**
 * Reads a key on the actions that add rows, and on those whose repeats have an effect.
 *
 * With a key the handler runs inside the transaction that stores its reply: its own is part of that one, and the hook
 * `afterCommit` runs after it.
 */
export const idempotency: Feature<{ readonly idempotency?: IdempotencyOptions<unknown> }, IdempotencyOptions<unknown>> =
  {
    options: { idempotency: { names: IDEMPOTENCY_OPTIONS } },
    settingsOf: (options) => options.idempotency,
    install(plan, settings) {
      const { required = false } = settings
      // A repeat below a parent that the caller cannot reach is refused, as the first request would be.
      const bindingOf: Binding<Call> = async (call) => tenancyOf(await plan.scopes.ofStored(call))
      const once = onceOf(plan.store, settings, plan.options.deadline, bindingOf)
      const handlerOf = ({ handler }: CrudSpec): CrudHandler => async (call, args) => {
        const { req } = call
        const key = neededKeyOf(req, required)
        if (key === undefined) return handler(call, args)
        await askFieldRules(call)
        let written: readonly Written[] = []
        const reply = await explainingErrors(call, () =>
          once(call, key, (store) => {
            const inside = call.inside(store)
            written = inside.transaction?.written ?? []
            return handler(inside, args)
          }))
        await runAfterCommit(req, written)
        return reply
      }
      return {
        wrapAction(spec, _name, { createsRows = false, repeats = false }) {
          return createsRows || repeats ? { ...withKeyTraits(spec, settings), handler: handlerOf(spec) } : spec
        },
      }
    },
  }
