import type { Request, Response } from 'express'
import { z } from 'zod'
import { compileRules, MisuseError, pathNamesOf, type LooseCustom } from '../../core/index.js'
import { onRequests, loadParents } from './call.js'
import type { AnyCustom } from './custom-types.js'
import type { CrudPlan, CrudSpec } from './feature.js'
import { merge, type Row } from './any-resource.js'
import { shownRow } from './read.js'

type CustomHandler = (req: Request, res: Response, args: Row, row?: Row) => unknown

/**
 * Returns a custom action whose path arguments are read as the key of the resource and of its parents, and whose
 * handler gets the row that it asks for.
 *
 * @throws MisuseError `crud_custom` for a `load` that names no row.
 */
export function customAction(plan: CrudPlan, name: string, { load = false, ...declared }: AnyCustom): LooseCustom {
  checkLoad(name, load, declared.route)
  const hasKey = namesKey(declared.route)
  const around = plan.features.flatMap(({ wrapCustom }) => wrapCustom ?? [])
  if (!hasKey && around.length === 0) return declared
  const handler = declared.handler as CustomHandler
  const spec: CrudSpec = {
    ...withPathArguments(declared, hasKey ? { id: plan.schemas.id } : {}),
    async handler(call, sent) {
      const args = merge([sent, ...plan.features.map((feature) => feature.readPathArguments?.(call))])
      // Either way the records that the path names are loaded.
      if (load) {
        const row = await plan.withinDeadline(() => shownRow(call, args.id))
        return handler(call.req, call.res, args, row)
      }
      await plan.withinDeadline(() => loadParents(call, plan.features))
      return handler(call.req, call.res, args)
    },
  }
  const whole = around.reduce((inner, wrap) => wrap(inner), spec)
  return { ...whole, route: declared.route, handler: onRequests(plan, whole.handler) }
}

function checkLoad(name: string, load: unknown, route: unknown): void {
  const wrong = typeof load !== 'boolean'
    ? '`load` that is neither true nor false'
    : load && !namesKey(route) && `\`load: true\` and the route \`${String(route)}\` without \`:id\`, `
        + 'which names the row'
  if (wrong === false) return
  throw new MisuseError('crud_custom', `The custom action \`${name}\` of crud has ${wrong}.`)
}

function namesKey(route: unknown): boolean {
  return typeof route === 'string' && pathNamesOf(route).includes('id')
}

/**
 * Returns an action that reads path arguments too, apart from those that it reads itself: by its `input` where that is
 * an object, else by its `query`.
 */
export function withPathArguments<S extends Pick<LooseCustom, 'input' | 'query'>>(
  spec: S,
  args: Readonly<Record<string, z.ZodType>>,
): S & { readonly input?: z.ZodType | undefined; readonly query?: z.ZodType | undefined } {
  const [input, query] = [schemaOf(spec.input), schemaOf(spec.query)]
  if (input instanceof z.ZodObject) return { ...spec, input: withFields(input, args), query }
  if (query === undefined || query instanceof z.ZodObject) {
    return { ...spec, input, query: withFields(query ?? z.object({}), args) }
  }
  throw new MisuseError(
    'crud_custom',
    'The `input` and the `query` of a custom action of crud are both no objects: write one of them as a `z.object`, '
      + 'which can read the path arguments too.',
  )
}

function schemaOf(input: LooseCustom['input']): z.ZodType | undefined {
  return input === undefined || input instanceof z.ZodType ? input : compileRules(input)
}

function withFields(schema: z.ZodObject, args: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  const added = Object.entries(args).filter(([name]) => !Object.hasOwn(schema.shape, name))
  return added.length === 0 ? schema : schema.safeExtend(Object.fromEntries(added))
}
