import type { Request, Response } from 'express'
import type { Call, CrudPlan, Transaction } from './feature.js'
import type { AnyContext, AnyStore, Row } from './options.js'
import { Kept } from './kept.js'
import { askRules, NONE, type FieldRuleKind } from './rules.js'

type Parts = Pick<Call, 'plan' | 'req' | 'res' | 'store' | 'transaction' | 'values'>

class RequestCall implements Call {
  readonly plan: CrudPlan
  readonly req: Request
  readonly res: Response
  readonly store: AnyStore
  readonly transaction: Transaction | undefined
  readonly values: Map<object, unknown>

  constructor({ plan, req, res, store, transaction, values }: Parts) {
    this.plan = plan
    this.req = req
    this.res = res
    this.store = store
    this.transaction = transaction
    this.values = values
  }

  inside(store: AnyStore): Call {
    const { plan, req, res, values } = this
    return new RequestCall({ plan, req, res, values, store, transaction: { written: [] } })
  }

  of(plan: CrudPlan): Call {
    const { req, res, values, transaction } = this
    return new RequestCall({ plan, req, res, values, transaction, store: storeInside(this, plan.store) })
  }

  context(action: string): AnyContext {
    return { req: this.req, action, store: this.store }
  }

  denied(kind: FieldRuleKind): Promise<ReadonlySet<string>> {
    const { fields } = this.plan.options
    if (fields === undefined) return NONE
    const known = ANSWERS[kind].get(this) ?? new Map<object, Promise<ReadonlySet<string>>>()
    ANSWERS[kind].set(this, known)
    const denied = known.get(fields) ?? askRules(this.req, fields, kind)
    known.set(fields, denied)
    return denied
  }

  note(action: string, rows: readonly Row[]): void {
    this.transaction?.written.push({ action, rows, options: this.plan.options })
  }
}

/** The answers of field rules, by the rules. */
const ANSWERS = {
  read: new Kept<Map<object, Promise<ReadonlySet<string>>>>(),
  write: new Kept<Map<object, Promise<ReadonlySet<string>>>>(),
}

/** Makes the call of a request to a resource. */
export function callOf(plan: CrudPlan, req: Request, res: Response): Call {
  return new RequestCall({ plan, req, res, store: plan.store, transaction: undefined, values: new Map() })
}

/** Returns another store inside the transaction of a call. */
export function storeInside({ plan, store }: Pick<Call, 'plan' | 'store'>, other: AnyStore): AnyStore {
  if (store === plan.store) return other
  return other === plan.store ? store : other.on?.(store.db) ?? other
}
