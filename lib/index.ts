/*
 * The main door. Withheld on purpose: the registry, the pipeline and the walk over Express's stacks, whose shapes may change.
 */
export { auth } from './auth/auth.js'
export { issueToken } from './auth/issue-token.js'
export { errorHandler } from './error-handler.js'
export {
  BusinessError, ConflictError, findOrFail, ForbiddenError, HttpError, MisuseError, NotFoundError, UnauthorizedError, UnavailableError,
  ValidationError,
} from './errors.js'
export { formatData } from './format-data.js'
export { notFound } from './not-found.js'
export { paginate, toPage } from './paginate.js'
export { param } from './param.js'
export { permission } from './permission.js'
export { reply } from './reply.js'
export { RequestParam } from './request-param.js'
export { resource } from './resource/builder.js'
export { fromHandler } from './resource/from-handler.js'
export { mountController } from './resource/mount-controller.js'
export { mountResource } from './resource/mount-resource.js'
export { mountRoutes } from './resource/mount-routes.js'
export { permissionsOf } from './resource/permissions-of.js'
export { routeOf, routesOf } from './resource/routes-of.js'
export { send } from './send.js'
export { serve } from './serve.js'
export { localDisk } from './storage/local-disk.js'
export { upload } from './upload/upload.js'
export { validate } from './validate/validate.js'

export type { ErrorHandlerOptions } from './error-handler.js'
export type { Reason } from './errors.js'
export type { ResourceBuilder } from './resource/builder.js'
export type { Declaration } from './resource/declaration.js'
export type { Mounted, MountedAction } from './resource/mounted.js'
export type { PermissionGroup } from './resource/permissions-of.js'
export type { LocalDisk } from './storage/local-disk.js'
export type { Served, ServeOptions } from './serve.js'
export type {
  Auth, CursorPage, Envelope, FileFields, FileRule, Handler, HeaderFields, HeaderTraits, Page, PageSource, RouteInfo, Storage, UncountedPage, UploadedFile,
} from './types.js'
