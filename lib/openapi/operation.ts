import { defaultSummary } from '../resource/summary.js'
import { pathNamesOf } from '../routing/path-names.js'
import type { MountedRoute } from '../routing/registry.js'
import { parametersOf } from './parameters.js'
import { requestBodyOf } from './request-body.js'
import { responsesOf } from './responses.js'
import type { Schemas } from './schemas.js'
import { tagsOf } from './tags.js'
import type { OperationPlan } from './templates.js'
import type { Operation } from './types.js'

/** One route as a document tells of it. */
export function toOperation(plan: OperationPlan, schemas: Schemas): Operation {
  const { path, route, operationId, summarize } = plan
  const names = pathNamesOf(path)
  const parameters = parametersOf(plan, names, schemas)
  const requestBody = requestBodyOf(plan, names, schemas)
  const summary = summarize !== undefined && isDefault(route) ? summarize(route) : route.summary
  return {
    operationId,
    summary,
    description: [route.description ?? `${summary}.`, accessOf(route)].filter((part) => part !== '').join('\n\n'),
    tags: tagsOf(route),
    ...(route.deprecated && { deprecated: true }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(route, names.length > 0, schemas),
    ...permissionOf(route),
  }
}

function isDefault({ action, resource, summary }: MountedRoute): boolean {
  return summary === defaultSummary(action, resource)
}

/** One id as a string, several as a list. */
function permissionOf({ permission, permissions }: MountedRoute): Pick<Operation, 'x-permission'> {
  if (permission === undefined) return {}
  return { 'x-permission': permissions.length === 1 ? permission : permissions }
}

/** Says in words what the guards ask of a caller. */
function accessOf({ auth, guardedBy, permissions }: MountedRoute): string {
  const ids = permissions.map((id) => `\`${id}\``).join(' and ')
  if (ids !== '') return `Needs the permission${permissions.length === 1 ? '' : 's'} ${ids}.`
  if (guardedBy.length === 0) return ''
  return auth === 'optional' ? 'A sign-in is possible, and not needed.' : 'Needs a sign-in.'
}

/** The guards refuse an anonymous caller where a permission is asked for, whatever `auth` says. */
function securityOf({ auth, guardedBy, permissions }: MountedRoute): NonNullable<Operation['security']> {
  if (guardedBy.length === 0) return []
  const all = Object.fromEntries(guardedBy.map((app) => [app, []]))
  return auth === 'optional' && permissions.length === 0 ? [{}, all] : [all]
}
