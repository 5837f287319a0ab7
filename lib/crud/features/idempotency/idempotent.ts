import type { Request, Response } from 'express'
import type { z } from 'zod'
import { checkOptionNames, MisuseError, serializeReply, withoutUndoneFiles, type Args, type FileFields, type Input,
  type Result, type Spec } from '../../../core/index.js'
import type { Store } from '../../contract/index.js'
import { conditionsFrom, storeDeadline, tenancyOf, type Scope } from '../../core/index.js'
import { isSent, onceOf, routeOf, type Binding, type Exchange } from './once.js'
import { IDEMPOTENCY_OPTIONS, type IdempotencyOptions } from './options.js'
import { neededKeyOf, withKeyTraits, type KeyTraits } from './request-key.js'

export interface IdempotentOptions<Row extends object, Db> extends IdempotencyOptions<Db> {
  /** The store whose transaction it is. */
  readonly store: Store<Row, Db>
  /**
   * The rows that exist for this caller, as in `crud`: a key is bound to the values of its `=` conditions, such as the
   * tenant. The handler applies the scope itself.
   *
   * @default no scope
   */
  readonly scope?: Scope<Row, Db>
  /** Seconds to wait for the store; after them the reply is 503 and nothing is committed. @default 30 */
  readonly deadline?: number | undefined
}

/** Path arguments are those that `input` declares. */
type Arguments<I, Q> = Args<'', I, Q>

/** An action whose handler gets the store inside the transaction. */
export type IdempotentSpec<I, Q, O, Row extends object, Db, F extends FileFields | undefined = FileFields | undefined> =
  & Omit<Spec<'', I, Q, O, F>, 'handler'>
  & {
    readonly handler: (
      req: Request,
      res: Response,
      args: Arguments<I, Q>,
      store: Store<Row, Db>,
    ) => Result<O> | Promise<Result<O>>
  }

/** A property with the declared value, and no such property without one. */
type IfDeclared<Name extends string, Value> = Value extends object ? Readonly<Record<Name, Value>> : unknown

type Made = 'input' | 'query' | 'output' | 'files' | 'handler' | keyof KeyTraits

/** The action that {@link idempotent} makes. */
export type Idempotent<I, Q, O, F = unknown> =
  & Omit<Spec<'', I, Q, O>, Made>
  & IfDeclared<'input', I>
  & IfDeclared<'query', Q>
  & IfDeclared<'output', O>
  & IfDeclared<'files', F>
  & KeyTraits
  & {
    readonly handler: Handler<I, Q, O>
  }

type Handler<I, Q, O> = (req: Request, res: Response, args: Arguments<I, Q>) => Promise<Result<O>>

/**
 * Makes an action that is carried out once for each `Idempotency-Key`: a repeat gets the first reply, byte for byte.
 *
 * A key is bound to the route, to the caller and the strategy that recognised it, and to the `=` conditions of `scope`.
 * The handler works in one transaction with the key, through the store that it is given and the `db` of that store,
 * perhaps more than once; it returns the reply. An error undoes all of it, and a repeat may try again.
 *
 * @throws MisuseError `option_unknown`; `idempotency_seconds`, `idempotency_keys`, `crud_deadline` for options out of
 * range; `idempotency_body` where the body is not read, so that a repeat could not be distinguished from another
 * request.
 * @example
 * mountRoutes(app, {
 *   route: '/payments',
 *   routes: {
 *     pay: {
 *       methods: ['POST'],
 *       route: '/',
 *       ...idempotent({ store: payments, keys: () => keys, identity: () => 'all' }, {
 *         input: z.object({ cents: z.int() }),
 *         handler: (req, res, payment, store) => store.create(payment),
 *       }),
 *     },
 *   },
 * })
 */
export function idempotent<
  Row extends object,
  Db,
  I extends Input | undefined = undefined,
  Q extends Input | undefined = undefined,
  O extends z.ZodType | undefined = undefined,
  const F extends FileFields | undefined = undefined,
>(
  all: IdempotentOptions<Row, Db>,
  spec: IdempotentSpec<I, Q, O, Row, Db, F>,
): Idempotent<NoInfer<I>, NoInfer<Q>, NoInfer<O>, NoInfer<F>> {
  checkOptionNames('idempotent', all, ['store', 'scope', 'deadline', ...IDEMPOTENCY_OPTIONS])
  const { store, scope, deadline, ...options } = all
  if (spec.body === false) {
    throw new MisuseError(
      'idempotency_body',
      'An `idempotent` action cannot have `body: false`: without the body a repeat cannot be told from another '
        + 'request. Remove `body: false`.',
    )
  }
  const { required = false } = options
  const bindingOf: Binding<Exchange> = async ({ req }) =>
    scope === undefined ? [] : tenancyOf(conditionsFrom('`scope` of `idempotent`', await scope(req, { db: store.db })))
  const once = onceOf(store, options, deadline, bindingOf)
  const withinDeadline = storeDeadline(deadline)
  const handler: Handler<I, Q, O> = async (req, res, args) => {
    const key = neededKeyOf(req, required)
    // A handler may return a reply with any `output`.
    if (key !== undefined) {
      return await once({ req, res }, key, (inside) => spec.handler(req, res, args, inside)) as Result<O>
    }
    return await withinDeadline((checkTime) =>
      withoutUndoneFiles(res, async (inside: Store<Row, Db>) => {
        const value: unknown = await spec.handler(req, res, args, inside)
        const reply = isSent(value, res) ? value : await serializeReply(res, routeOf(req), value)
        checkTime()
        return reply
      }, (whole) => store.transaction(whole, { seconds: checkTime(), verify: true }))
    ) as Result<O>
  }
  const made: unknown = { ...withKeyTraits(spec, options), handler }
  return made as Idempotent<I, Q, O, F>
}
