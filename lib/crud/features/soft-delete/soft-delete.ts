import type { Request } from 'express'
import { z } from 'zod'
import { ConflictError, ForbiddenError, Message, messageAround, messageGivenTo, messageOf,
  MisuseError } from '../../../core/index.js'
import { SharedValue, type Call, type Conditions, type Feature, type Row } from '../../core/index.js'
import { markRows, purgeHandler, restoreHandler } from './handlers.js'
import { maySeeDeleted, softDeleteOf, type AnySoftDelete, type SoftDelete, type SoftDeleteArgs } from './options.js'

/** The value of the parameter `deleted`. */
type Asked = Required<SoftDeleteArgs>['deleted'] | undefined

const PLAIN = new ConflictError()

/** Marks deleted rows instead of removing them, and adds `restore` and `purge`. */
export const softDelete: Feature<{ readonly softDelete?: AnySoftDelete }, SoftDelete> = {
  options: { softDelete: { names: ['field', 'unique', 'allows'] } },
  renamed: { options: { trash: 'softDelete' }, actions: { trash: 'purge' }, parameters: { trashed: 'deleted' } },
  actions: ['restore', 'purge'],
  hooks: () => ['restore', 'purge'],
  parameters: {
    deleted: {
      schema: z.enum(['only', 'with']).optional()
        .describe('`only` soft-deleted records, or all records `with` them; for callers who may restore'),
      selectsRows: true,
    },
  },
  settingsOf({ softDelete: option, input, changes }) {
    if (option === undefined) return undefined
    const { field } = option
    if ([input, changes].some((schema) => schema !== undefined && Object.hasOwn(schema.shape, field))) {
      throw new MisuseError(
        'crud_soft_delete',
        `\`softDelete\` of crud marks deleted rows in \`${field}\`, which only \`delete\` and \`restore\` may write: `
          + `remove \`${field}\` from \`input\` and \`changes\`.`,
      )
    }
    return softDeleteOf(option)
  },
  install(plan, settings) {
    const { schemas: { path, output } } = plan
    // By the resource: a request may write its children too, which have columns of the same names.
    const written = new SharedValue<Row>()
    const restore = {
      methods: ['PUT'],
      route: '/:id/restore',
      input: path,
      output,
      message: 'Restored',
      handler: restoreHandler(plan, settings),
    }
    const purge = {
      methods: ['DELETE'],
      route: '/:id/purge',
      input: path,
      output: z.null(),
      message: 'Deleted for good',
      handler: purgeHandler(plan, settings),
    }
    return {
      actions: {
        restore: { spec: restore, effect: { repliesRecord: true, changesDeletedRows: true } },
        purge: { spec: purge, effect: { changesDeletedRows: true } },
      },
      live: settings.live,
      liveInList: ({ req }, { deleted }) => conditionsOf(settings, req, deleted as Asked),
      hiddenParameters: async ({ req }) => (await maySeeDeleted(settings, req) ? [] : ['deleted']),
      deleteRows: (call, rows) => markRows(call, settings, rows),
      ...(settings.unique !== undefined && {
        beforeWrite: ({ call, columns }) => {
          written.set(call, columns)
          return Promise.resolve()
        },
        explainError: (call, error) => explain(call, settings, error, written.get(call)),
      }),
    }
  },
}

/**
 * Returns the conditions of a list on soft-deleted rows.
 *
 * @throws ForbiddenError when a caller asks for soft-deleted rows and may not list them.
 */
async function conditionsOf(settings: SoftDelete, req: Request, choice: Asked): Promise<Conditions> {
  if (choice === undefined) return settings.live
  if (!await maySeeDeleted(settings, req)) throw new ForbiddenError(messageOf('forbidden.deleted'))
  return choice === 'only' ? settings.deleted : []
}

/**
 * Returns a conflict `conflict_deleted` in place of one with a soft-deleted row, for callers who may list such rows.
 */
async function explain(call: Call, settings: SoftDelete, error: unknown, written: Row | undefined): Promise<unknown> {
  if (!(error instanceof ConflictError) || error.reason !== PLAIN.reason || written === undefined) return error
  if (!await call.plan.withinDeadline(() => isUsedByDeleted(call, settings, written))) return error
  const original = messageGivenTo(error)
  const item = original instanceof Message ? original.values.item : undefined
  const deleted = messageOf('conflict_deleted')
  const message = item === undefined ? deleted : messageAround('conflict.item', { item }, deleted)
  return new ConflictError(message, { reason: deleted.reason, fields: error.fields, cause: error })
}

async function isUsedByDeleted(call: Call, settings: SoftDelete, written: Row): Promise<boolean> {
  const { req, store, plan: { scopes } } = call
  const { unique = [], deleted } = settings
  const fields = unique.filter((field) => written[field] !== null && written[field] !== undefined)
  if (fields.length === 0 || !await maySeeDeleted(settings, req)) return false
  const used = { any: fields.map((field) => [[field, '=', written[field]]] as const) }
  const where = [...await scopes.ofStored(call), ...deleted, used]
  const found = await store.list({ where, order: [store.key] }).slice(0, 1)
  return found.length > 0
}
