export { openapi } from './openapi/document.js'
export type { OpenApiOptions } from './openapi/options.js'
export { openapiRouter, type OpenApiRouterOptions } from './openapi/router.js'
export type { OpenApiDocument } from './openapi/types.js'
