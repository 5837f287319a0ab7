import type { z } from 'zod'
import { isObject, show } from '../../core/index.js'
import { withoutUndefined } from '../contract/checks.js'
import type { Call, CrudPlan } from './feature.js'
import { merge, type Conditions, type Row } from './any-resource.js'
import { declaredFields, hasValue, permittedFields, unsentFields } from './schemas.js'
import { scopeValues } from './scope.js'
import type { CallerPart } from './violations.js'

export interface CallerInput {
  readonly schema: z.ZodObject
  readonly sent: Row
}

/** The rows and fields that one request may write: scope and field rules are evaluated once for all rows. */
export interface Writable {
  readonly scope: Conditions
  /** The values that every row of the scope has. */
  readonly fixed: Row
  /** Returns the fields of a new row, with the defaults of those that the caller may not write. */
  readonly fieldsOfNew: (args: object) => Promise<Row>
  /** Returns the fields of a change, as a hook gets them: those that were sent, and defaults of a replacement. */
  readonly fieldsOfChange: (action: 'edit' | 'store', sent: Row) => Promise<Row>
  /** Returns the columns of a change: in a replacement a field without a value in either becomes null. */
  readonly columnsToChange: (action: 'edit' | 'store', columns: Row, fields: Row) => Row
  readonly callerPart: (input: CallerInput) => CallerPart
}

export async function writableBy(call: Call): Promise<Writable> {
  const { schemas, scopes } = call.plan
  const scope = await scopes.ofRecord(call)
  const denied = await call.denied('write')
  const fixed = scopeValues(scope)
  return {
    scope,
    fixed,
    fieldsOfNew: (args) => permittedFields(denied, declaredFields(schemas.create, args), schemas.create),
    fieldsOfChange: (action, sent) => permittedFields(denied, declaredFields(schemas[action], sent)),
    columnsToChange: (action, columns, fields) => {
      if (action === 'store') return columns
      const unsent = unsentFields(schemas.edit, fields).filter((name) => !hasValue(columns, name) && !denied.has(name))
      return { ...columns, ...Object.fromEntries(unsent.map((name) => [name, null])) }
    },
    callerPart: ({ schema: { shape }, sent }) => ({ sent,
      mayWrite: (field) => Object.hasOwn(shape, field) && !denied.has(field) && !Object.hasOwn(fixed, field) }),
  }
}

export function schemaOf({ schemas }: CrudPlan, action: 'create' | 'edit' | 'store'): z.ZodObject {
  return action === 'store' ? schemas.store : schemas.create
}

/**
 * Returns the columns that a function of the application has returned: those of any other value would be none.
 *
 * @param name of the function, for the log
 */
export function columnsFrom(name: string, returned: unknown): Row {
  if (isObject(returned)) return returned
  throw new Error(`\`${name}\` of crud must return an object of columns, but it returned ${show(returned)}.`)
}

/** Returns the columns of a hook that may return nothing, in place of the fields. */
export function columnsOfHook(name: string, returned: unknown, fields: Row): Row {
  return returned === undefined || returned === null ? fields : columnsFrom(name, returned)
}

/** Returns the columns of a new row: its own, those of features, and the values that the scope fixes. */
export function columnsOfNew({ features }: CrudPlan, own: Row, fixed: Row): Row {
  return merge([withoutUndefined(own), fixed, ...features.map((feature) => feature.columnsOfNew?.())])
}
