import type { Request, Response } from 'express'
import type { LooseSpec } from '../../resource/declaration.js'
import { askFieldRules } from '../field-rules.js'
import type { Extension, ExtensionOf } from '../extension.js'
import { joining, runAfterCommit, type Written } from '../transaction.js'
import { explaining } from '../soft-delete/conflict.js'
import { neededKeyOf } from './key.js'
import { onceOf, tenancyOf, type Bound } from './once.js'
import { withKeyTraits } from './traits.js'

/** What adds rows; the other actions are as good twice as once. */
const KEYED: readonly string[] = ['create', 'createMany']

/**
 * A key on what adds rows.
 *
 * With one the handler runs inside the transaction that keeps its reply: its own is part of that one, and what is to happen after the
 * commit waits for it.
 */
export const idempotencyExtension: ExtensionOf = (plan) => {
  const { store, options } = plan
  if (options.idempotency === undefined) return undefined
  const { required = false } = options.idempotency
  const bound: Bound = async (req) => tenancyOf(await plan.scopes.ofAny(req))
  const once = onceOf(store, options.idempotency, options.deadline, bound)
  const handlerOf = ({ handler }: LooseSpec) => async (req: Request, res: Response, args: never): Promise<unknown> => {
    const key = neededKeyOf(req, required)
    if (key === undefined) return handler(req, res, args)
    await askFieldRules(req, options.fields)
    let written: Written[] = []
    const reply = await explaining(plan, req, () => once(req, res, key, (inside) => {
      written = []
      return joining(req, inside, written, () => handler(req, res, args))
    }))
    await runAfterCommit(options, req, written)
    return reply
  }
  const keys = options.idempotency
  const around: Extension['around'] = (name, spec) => (KEYED.includes(name) ? { ...withKeyTraits(spec, keys), handler: handlerOf(spec) } : spec)
  return { around }
}
