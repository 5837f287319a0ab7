export { openapi } from '../tools/openapi/document.js'
export type { OpenApiOptions } from '../tools/openapi/options.js'
export { openapiRouter, type OpenApiRouterOptions } from '../tools/openapi/router.js'
export type { Draft, OpenApiDocument } from '../tools/openapi/types.js'
