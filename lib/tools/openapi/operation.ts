import { defaultSummary, mapValues, type MountedRoute } from '../../core/index.js'
import { parametersOf, type OperationPlan } from './request.js'
import { requestBodyOf } from './request-body.js'
import type { Replies } from './replies.js'
import { responsesOf } from './responses.js'
import { compare, type DocumentedRoute } from './routes.js'
import { withReadableStrings } from './strings.js'
import type { OpenApiDocument, Operation } from './types.js'

/** The part of an operation that does not depend on the options of a document. */
export type OperationBody = Omit<Operation, 'operationId' | 'summary' | 'description' | 'tags' | 'security'>

export function operationBody(plan: OperationPlan, replies: Replies): OperationBody {
  const { route } = plan
  const parameters = parametersOf(plan)
  const requestBody = requestBodyOf(plan)
  return {
    ...(route.deprecated && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(plan, replies),
    ...permissionOf(route),
  }
}

/** Returns an operation in which strings of the path, the query and the body have the pattern of what is read. */
export function withReadableRequest({ parameters, requestBody, ...body }: OperationBody): OperationBody {
  return {
    ...(parameters && {
      parameters: parameters.map((parameter) =>
        parameter.in === 'header' ? parameter : { ...parameter, schema: withReadableStrings(parameter.schema) }
      ),
    }),
    ...(requestBody && {
      requestBody: {
        ...requestBody,
        content: mapValues(requestBody.content, (media) => ({ ...media, schema: withReadableStrings(media.schema) })),
      },
    }),
    ...body,
  }
}

/** Returns one route as a document shows it; `summarize` writes the summary where none is declared. */
export function toOperation(
  { path, route }: DocumentedRoute,
  operationId: string,
  body: OperationBody & Pick<Operation, 'security'>,
  summarize: ((route: MountedRoute) => string) | undefined,
): Operation {
  const isDefault = route.summary === defaultSummary(route.action, route.resource, route.singular)
  const summary = summarize !== undefined && isDefault ? summarize({ ...route, path }) : route.summary
  return {
    operationId,
    summary,
    description: [route.description ?? `${summary}.`, accessOf(route)].filter((part) => part !== '').join('\n\n'),
    tags: tagsOf(route),
    ...body,
  }
}

/** Returns one id as a string, several as a list. */
function permissionOf({ permission, permissions }: MountedRoute): Pick<Operation, 'x-permission'> {
  if (permission === undefined) return {}
  return { 'x-permission': permissions.length === 1 ? permission : permissions }
}

/** Returns a sentence about the requirements of the guards. */
function accessOf({ auth, guardedBy, permissions }: MountedRoute): string {
  const ids = permissions.map((id) => `\`${id}\``).join(' and ')
  if (ids !== '') return `Requires the permission${permissions.length === 1 ? '' : 's'} ${ids}.`
  if (guardedBy.length === 0) return ''
  return auth === 'optional' ? 'Authentication is optional.' : 'Requires authentication.'
}

/** A route without a tag has the label of its resource for one. */
function tagsOf({ tags, resourceLabel, app }: MountedRoute): readonly string[] {
  if (tags.length > 0) return tags
  return [resourceLabel === '' ? (app ?? 'API') : resourceLabel]
}

/** Returns all tags in use, by name, each with its resources. */
export function tagList(routes: readonly DocumentedRoute[]): OpenApiDocument['tags'] {
  const resources = new Map<string, Set<string>>()
  for (const { route } of routes) {
    for (const tag of tagsOf(route)) resources.set(tag, (resources.get(tag) ?? new Set()).add(nameOf(route)))
  }
  return [...resources].sort(([one], [other]) => compare(one, other))
    .map(([name, names]) => ({ name, description: `The routes of ${[...names].sort(compare).join(', ')}` }))
}

function nameOf({ app, resource }: MountedRoute): string {
  const name = [app, resource].filter(Boolean).join('.')
  return name === '' ? 'this API' : `\`${name}\``
}
