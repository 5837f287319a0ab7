import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { MisuseError } from '../../errors.js'
import { mounting, type LooseSpec, type Mounting } from '../../resource/declaration.js'
import { pathNamesOf } from '../../routing/path.js'
import type { Extension, ExtensionOf } from '../extension.js'
import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { keepArgs, reachParent, type Parent } from './parent.js'

/** Reads the path arguments of a nested resource, and checks that every path argument of a route belongs to a parent. */
export const parentExtension: ExtensionOf = (plan) => {
  const { parent, options } = plan
  if (options.parent === false) return undefined
  const check = { [mounting]: mountingOf(plan) }
  const around: Extension['around'] = (_name, spec) => ({ ...(parent === undefined ? spec : nested(plan, parent, spec)), ...check })
  return { around }
}

function nested<Spec extends LooseSpec>({ store, withinDeadline }: CrudPlan, parent: Parent, spec: Spec): Spec {
  const names = Object.keys(parent.args)
  const input = spec.input === undefined ? z.object(parent.args) : (spec.input as z.ZodObject).safeExtend(parent.args)
  const handler = async (req: Request, res: Response, args: object): Promise<unknown> => {
    const [path, own] = split(args as LooseRow, names)
    keepArgs(req, path)
    if (!parent.joins) await withinDeadline(() => reachParent(parent, req, store))
    return spec.handler(req, res, own as never)
  }
  return { ...spec, input, handler }
}

function split(args: LooseRow, names: readonly string[]): [path: LooseRow, own: LooseRow] {
  const entries = Object.entries(args)
  const isPath = ([name]: [string, unknown]): boolean => names.includes(name)
  return [Object.fromEntries(entries.filter(isPath)), Object.fromEntries(entries.filter((entry) => !isPath(entry)))]
}

/** With `mergeParams` only a request tells all path arguments. */
function mountingOf(plan: CrudPlan): Mounting {
  return ({ resource, route, path, mergesParams }) => {
    const where = `The resource \`${resource}\` at \`${route}\``
    const own = pathNamesOf(path.slice(route.length))
    if (!mergesParams) {
      checkNames(plan, where, pathNamesOf(route))
      return []
    }
    const check: RequestHandler = (req, _res, next) => {
      checkNames(plan, where, Object.keys(req.params).filter((name) => !own.includes(name)))
      next()
    }
    return [check]
  }
}

/** @throws MisuseError `crud_parent` for a path argument that selects no rows, and for a parent that the path does not name. */
function checkNames({ parent, options }: CrudPlan, where: string, names: readonly string[]): void {
  const known = Object.keys(parent?.args ?? {})
  const missing = known.find((name) => !names.includes(name))
  if (missing !== undefined) {
    throw new MisuseError('crud_parent', `${where} has no path argument \`${missing}\`, which its \`parent\` names.`)
  }
  const strange = names.find((name) => !known.includes(name))
  if (strange === undefined || (parent !== undefined && isScoped(parent, options.scope !== undefined))) return
  const advice = parent === undefined ? `\`parent: { arg: '${strange}', column }\`` : 'a parent of the `parent`, by `of`, or a `scope`'
  throw new MisuseError(
    'crud_parent',
    `${where} serves the same rows whatever \`:${strange}\` is: give crud ${advice}, or \`parent: false\` if that is meant.`,
  )
}

/** True if a scope may use the path arguments that no parent names. */
function isScoped({ target }: Parent, hasScope: boolean): boolean {
  return hasScope || (target !== undefined && (target.isScoped || (target.above !== undefined && isScoped(target.above, false))))
}
