/*
 * The public entry. The route table, the pipeline and the functions that read Express's stacks are not exported, since
 * their shapes may change. Types that only inferred types name are exported for projects that emit declarations.
 */
export { auth } from '../core/auth/auth.js'
export { authOf } from '../core/auth/auth-of.js'
export { issueToken } from '../core/auth/issue-token.js'
export { envelope } from '../core/reply/envelope.js'
export { problem } from '../core/reply/problem.js'
export { errorHandler } from '../core/reply/error-handler.js'
export { BusinessError, ConflictError, findOrFail, ForbiddenError, HttpError, MisuseError, NotFoundError,
  UnauthorizedError, UnavailableError, ValidationError } from '../core/base/errors.js'
export { formatData } from '../core/reply/format-data.js'
export { notFound } from '../core/reply/not-found.js'
export { paginate, toPage } from '../core/paging/paginate.js'
export { param } from '../core/validate/param.js'
export { isGranted, permission } from '../core/auth/permission.js'
export { reply } from '../core/reply/reply.js'
export { RequestParam } from '../core/request-param/request-param.js'
export { resource } from '../core/resource/builder.js'
export { fromHandler } from '../core/resource/from-handler.js'
export { mountController } from '../core/resource/mount-controller.js'
export { mountResource } from '../core/resource/mount-resource.js'
export { mountRoutes } from '../core/resource/mount-routes.js'
export { permissionsOf, routeManifest, routesOf } from '../core/resource/routes-of.js'
export { routeOf } from '../core/auth/route-of.js'
export { send } from '../core/reply/send.js'
export { serve } from '../core/serve/serve.js'
export { ready } from '../core/serve/ready.js'
export { localDisk } from '../core/storage/local-disk.js'
export { upload } from '../core/upload/upload.js'
export { validate } from '../core/validate/validate.js'

export type { Broadcast, LoadingAuth, LoadOptions } from '../core/auth/load.js'
export type { AnyPage, Formatted, Reply } from '../core/reply/reply.js'
export type { Problem, ProblemOptions } from '../core/reply/problem.js'
export type { EnvelopeOptions, FailureParts, FailureSchemaParts, ReplyParts,
  SchemaParts } from '../core/reply/envelope.js'
export type { ErrorHandlerOptions } from '../core/reply/error-handler.js'
export type { MisuseCode } from '../core/base/errors.js'
export type { Reason } from '../core/base/reason.js'
export type { Message, MessageKey, MessageValues, Plurals } from '../core/base/messages/messages.js'
export type { ClientMessage, CompleteDictionary, Dictionaries, Dictionary, DictionaryText, MessageFunction, MessageText,
  MessageTexts } from '../core/base/messages/texts.js'
export type { BigintParam, BooleanParam, DateParam, DecimalParam, ListParam,
  NumberParam } from '../core/validate/param.js'
export type { ResourceBuilder } from '../core/resource/builder.js'
export type { CustomActions, CustomParts, CustomTraits, Input, Method, Result,
  Returned } from '../core/resource/declaration.js'
export type { Declaration } from '../core/resource/loose-declaration.js'
export type { ManifestRoute, Mounted, MountedAction, MountedCustom, MountedDefaults,
  Schema } from '../core/resource/mounted.js'
export type { PermissionGroup, PermissionLeaf } from '../core/resource/routes-of.js'
export type { IdsOptions } from '../core/request-param/ids.js'
export type { PageOptions, PageParams } from '../core/request-param/page.js'
export type { LocalDisk } from '../core/storage/local-disk.js'
export type { Served, ServeOptions } from '../core/serve/serve.js'
export type { Auth, Caller, Callers, CursorPage, Envelope, FileFields, FileRule, Handler, Page, PageSource, Storage,
  UncountedPage, UploadedFile } from '../core/base/types.js'
export type { HeaderFields, HeaderTraits, RouteInfo } from '../core/routing/route-info.js'
export type { PlainMap } from '../core/validate/plain-data.js'
export type { Rule, Ruled, Rules } from '../core/validate/rules.js'
