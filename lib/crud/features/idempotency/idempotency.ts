import type { Request, Response } from 'express'
import type { LooseSpec } from '../../../core/index.js'
import type { Feature } from '../../feature.js'
import { tenancyOf } from '../../scope.js'
import { askFieldRules, explainingErrors, joinTransaction, runAfterCommit, type Written } from '../../transaction.js'
import { onceOf, type Binding } from './once.js'
import type { IdempotencyOptions } from './options.js'
import { neededKeyOf, withKeyTraits } from './request-key.js'

/**
 * Reads a key on the actions that add rows, and on those whose repeats have an effect.
 *
 * With a key the handler runs inside the transaction that stores its reply: its own is part of that one, and the hook
 * `afterCommit` runs behind it.
 */
export const idempotency: Feature<{ readonly idempotency?: IdempotencyOptions<unknown> }, IdempotencyOptions<unknown>> =
  {
    options: { idempotency: { names: ['keys', 'seconds', 'required', 'identity'] } },
    settingsOf: (options) => options.idempotency,
    install(plan, settings) {
      const { store, options } = plan
      const { required = false } = settings
      const bindingOf: Binding = async (req) => tenancyOf(await plan.scopes.ofAny(req, store))
      const once = onceOf(store, settings, options.deadline, bindingOf)
      const handlerOf =
        ({ handler }: LooseSpec) => async (req: Request, res: Response, args: never): Promise<unknown> => {
          const key = neededKeyOf(req, required)
          if (key === undefined) return handler(req, res, args)
          await askFieldRules(plan, req)
          let written: Written[] = []
          const reply = await explainingErrors(plan, req, () =>
            once(req, res, key, (inside) => {
              written = []
              return joinTransaction(req, inside, written, () => handler(req, res, args))
            }))
          await runAfterCommit(options, req, written)
          return reply
        }
      return {
        wrapAction: (
          spec,
          _name,
          { createsRows = false, repeats = false },
        ) => (createsRows || repeats ? { ...withKeyTraits(spec, settings), handler: handlerOf(spec) } : spec),
      }
    },
  }
