/*
 * The public entry and composition root: functions that mount and serve get the fast path here. The route table, the
 * pipeline and the functions that read Express's stacks are not exported, since their shapes may change. Types that
 * only inferred types name are exported for projects that emit declarations.
 */
import { withFastPath } from './fast/fast.js'
import * as builder from './resource/builder.js'
import * as controllers from './resource/mount-controller.js'
import * as resources from './resource/mount-resource.js'
import * as routes from './resource/mount-routes.js'
import * as server from './serve.js'

/** Mounts the methods of a controller object as routes. */
export const mountController: typeof controllers.mountController = withFastPath(controllers.mountController)
/** Mounts the routes of one resource on a Router or an app. */
export const mountResource: resources.MountResource = withFastPath(resources.mountResource)
/** Mounts a group of named routes on a Router or an app. */
export const mountRoutes: typeof routes.mountRoutes = withFastPath(routes.mountRoutes)
/** Builds a resource step by step and mounts it. */
export const resource: typeof builder.resource = withFastPath(builder.resource)
/** Starts a server for an app, and stops it without losing a reply. */
export const serve: typeof server.serve = withFastPath(server.serve)

export { auth } from './auth/auth.js'
export { authOf } from './auth/auth-of.js'
export { issueToken } from './auth/issue-token.js'
export { errorHandler } from './error-handler.js'
export {
  BusinessError, ConflictError, findOrFail, ForbiddenError, HttpError, MisuseError, NotFoundError, UnauthorizedError,
  UnavailableError, ValidationError,
} from './errors.js'
export { formatData } from './format-data.js'
export { notFound } from './not-found.js'
export { paginate, toPage } from './paginate.js'
export { param } from './param.js'
export { isGranted, permission } from './permission.js'
export { reply } from './reply.js'
export { RequestParam } from './request-param.js'
export { fromHandler } from './resource/from-handler.js'
export { permissionsOf, routeManifest, routesOf } from './resource/routes-of.js'
export { routeOf } from './route-of.js'
export { send } from './send.js'
export { ready } from './serve/ready.js'
export { localDisk } from './storage/local-disk.js'
export { upload } from './upload/upload.js'
export { validate } from './validate/validate.js'

export type { Broadcast, LoadingAuth, LoadOptions } from './auth/load.js'
export type { ErrorHandlerOptions } from './error-handler.js'
export type { MisuseCode, Reason } from './errors.js'
export type { Message, MessageKey, MessageValues } from './messages.js'
export type { ClientMessage, MessageFunction, MessageText, MessageTexts } from './messages/translate.js'
export type { BigintParam, BooleanParam, DateParam, ListParam, NumberParam } from './param.js'
export type { ResourceBuilder } from './resource/builder.js'
export type { Declaration } from './resource/declaration.js'
export type {
  ManifestRoute, Mounted, MountedAction, MountedCustom, MountedDefaults, Schema,
} from './resource/mounted.js'
export type { PermissionGroup } from './resource/routes-of.js'
export type { LocalDisk } from './storage/local-disk.js'
export type { Served, ServeOptions } from './serve.js'
export type {
  Auth, Caller, Callers, CursorPage, Envelope, FileFields, FileRule, Handler, HeaderFields, HeaderTraits, Page,
  PageSource, RouteInfo, Storage, UncountedPage, UploadedFile,
} from './types.js'
export type { Rule, Ruled, Rules } from './validate/rules.js'
