import type { Request } from 'express'
import { z } from 'zod'
import { bodyFieldsOf } from '../body/fields.js'
import { MisuseError, ValidationError } from '../errors.js'
import { queryToReadOf } from '../request-param/query.js'
import { stateOf } from '../routing/request-state.js'
import { deniedFields, ruledFields } from './field-rules.js'
import { wireName, type Parameter } from './list-input.js'
import type { CrudPlan } from './plan.js'
import { maySeeDeleted } from './soft-delete/soft-delete.js'

/** Checks the names in a query. */
export type NameCheck = (req: Request) => Promise<void>

/** A parameter by the name that callers use, and the field of the rows that it tells of. */
interface Known {
  readonly name: string
  readonly field: string | undefined
}

/**
 * Makes the check of a list or an export: a misspelt filter would otherwise answer with every row.
 *
 * A parameter of a field that the caller may not read is as unknown as one that was never declared. `more` are names without a field.
 *
 * @throws MisuseError `crud_unknown_params` for an option that is neither 'refuse', 'ignore' nor a list of names.
 */
export function nameCheckOf(plan: CrudPlan, parameters: readonly Parameter[], more: readonly string[] = []): NameCheck {
  const { unknownParams = 'refuse', paramNames = {}, fields = {} } = plan.options
  const path = Object.keys(plan.parent?.args ?? {})
  checkOption(unknownParams)
  if (unknownParams === 'ignore') return () => Promise.resolve()
  const known: Known[] = [
    ...parameters.map(([name, , field]) => ({ name: wireName(name, paramNames), field })),
    ...more.map((name) => ({ name, field: undefined })),
  ]
  const ignored = unknownParams === 'refuse' ? [] : unknownParams
  const open = new Set([...namesWithout(known, new Set(ruledFields(fields, 'read'))), ...ignored])
  const isBeside = (name: string): boolean => !path.includes(name) && !known.some((one) => one.name === name)
  return async (req) => {
    const sent = Object.keys(queryToReadOf(req)).filter((name) => !open.has(name))
    const inBody = req.method === 'POST' ? Object.keys(bodyFieldsOf(req)) : []
    if (sent.length + inBody.length === 0) return
    const denied = await deniedFields(req, fields, 'read')
    const usable = [...namesWithout(known, denied), ...declaredNames(req).filter(isBeside)]
    const unknown = [...sent, ...inBody].filter((name) => !usable.includes(name))
    if (unknown.length > 0) throw refusal(unknown, `Unknown parameter. Use ${(await namesToTell(plan, req, usable, denied)).join(', ')}`)
    if (inBody.length > 0) throw refusal(inBody, 'Send this parameter in the query')
  }
}

function checkOption(option: unknown): void {
  if (option === 'refuse' || option === 'ignore') return
  if (Array.isArray(option) && option.every((name) => typeof name === 'string' && name !== '')) return
  throw new MisuseError(
    'crud_unknown_params',
    "`unknownParams` of crud is 'refuse', 'ignore' or a list of the names to ignore, such as ['_', 'lang'].",
  )
}

function namesWithout(known: readonly Known[], fields: ReadonlySet<string>): string[] {
  return known.flatMap(({ name, field }) => (field !== undefined && fields.has(field) ? [] : [name]))
}

/** Returns the names in the schemas of the route: an action may have been given parameters of its own. */
function declaredNames(req: Request): string[] {
  const { route } = stateOf(req)
  return [route?.input, route?.query].flatMap((schema) => (schema === undefined ? [] : namesIn(schema)))
}

function namesIn(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(namesIn)
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].flatMap(namesIn)
  return schema instanceof z.ZodPipe ? namesIn(schema.in) : []
}

/** Returns the names without those that answer this caller with a refusal. */
async function namesToTell(
  { options, softDelete, tree }: CrudPlan,
  req: Request,
  usable: readonly string[],
  denied: ReadonlySet<string>,
): Promise<string[]> {
  const { paramNames = {} } = options
  const hidden = [
    ...(softDelete === undefined || await maySeeDeleted(softDelete, req) ? [] : [wireName('deleted', paramNames)]),
    ...(tree !== undefined && denied.has(tree.parent) ? [wireName('tree', paramNames)] : []),
  ]
  return usable.filter((name) => !hidden.includes(name)).sort()
}

function refusal(names: readonly string[], sentence: string): ValidationError {
  return new ValidationError(Object.fromEntries(names.map((name) => [name, [sentence]])))
}
