import { shapeOf } from '../resource/path.js'
import { pathNamesOf } from '../routing/path-names.js'
import type { MountedRoute } from '../routing/registry.js'
import type { DocumentedRoute } from './routes.js'
import type { JsonSchema } from './types.js'

/** A path as OpenAPI writes it; routes that differ in nothing but the names of their parameters share one. */
export interface Template {
  readonly text: string
  /** What the parameters are called in the document, in order. */
  readonly names: readonly string[]
}

/** What an operation is made of. */
export interface OperationPlan extends DocumentedRoute {
  readonly operationId: string
  readonly template: Template
  readonly summarize: ((route: MountedRoute) => string) | undefined
  /** The schema of one id of the resource. */
  readonly id: JsonSchema
}

/** The template of each shape of a path: the names are those of the first path in the order of the document. */
export function templatesOf(routes: readonly DocumentedRoute[]): Map<string, Template> {
  const templates = new Map<string, Template>()
  for (const { path } of routes) {
    if (!templates.has(shapeOf(path))) templates.set(shapeOf(path), toTemplate(path))
  }
  return templates
}

function toTemplate(path: string): Template {
  return { text: path.replace(/[:*]([A-Za-z_$][\w$]*)/g, '{$1}'), names: pathNamesOf(path) }
}
