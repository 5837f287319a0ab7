import { defaultSummary } from '../resource/summary.js'
import { pathNamesOf } from '../resource/path.js'
import type { MountedRoute } from '../routing/registry.js'
import { parametersOf } from './parameters.js'
import { requestBodyOf } from './request-body.js'
import { responsesOf } from './responses.js'
import type { DocumentedRoute } from './routes.js'
import type { Schemas } from './schemas.js'
import { tagsOf } from './tags.js'
import type { Template } from './templates.js'
import type { Operation } from './types.js'

export interface OperationPlan extends DocumentedRoute {
  readonly operationId: string
  readonly template: Template
  readonly summarize: ((route: MountedRoute) => string) | undefined
}

/** One route as a document tells of it. */
export function toOperation({ path, route, operationId, template, summarize }: OperationPlan, schemas: Schemas): Operation {
  const names = pathNamesOf(path)
  const parameters = parametersOf(route, names, template, schemas)
  const requestBody = requestBodyOf(route, names, schemas)
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
    ...(route.permission !== undefined && { 'x-permission': route.permission }),
  }
}

function isDefault({ action, resource, summary }: MountedRoute): boolean {
  return summary === defaultSummary(action, resource)
}

/** What an application asks of a caller; a route without one asks nothing. */
function accessOf({ app, auth, permission }: MountedRoute): string {
  if (permission !== undefined) return `Needs the permission \`${permission}\`.`
  if (app === undefined || auth === false) return ''
  return auth === 'optional' ? 'A sign-in is possible, and not needed.' : 'Needs a sign-in.'
}

/** The pair refuses an anonymous caller where a permission is asked for, whatever `auth` says. */
function securityOf({ app, auth, can }: MountedRoute): NonNullable<Operation['security']> {
  if (app === undefined || auth === false) return []
  return auth === 'optional' && !can ? [{}, { [app]: [] }] : [{ [app]: [] }]
}
