export { openapi } from '../tools/openapi/document.js'
export type { OpenApiOptions } from '../tools/openapi/options.js'
export { openapiRouter, type OpenApiRouterOptions } from '../tools/openapi/router.js'
export type { Components, Draft, Header, Info, JsonSchema, OpenApiDocument, Operation, Response,
  Server } from '../tools/openapi/types.js'
