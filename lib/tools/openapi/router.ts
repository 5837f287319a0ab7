import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Router, type RequestHandler } from 'express'
import { checkCalled, isApp, MisuseError, SERVING, show, type MountedRoute } from '../../core/index.js'
import { openapi } from './document.js'
import { checkDomains, checkOptions, type OpenApiOptions } from './options.js'
import { PAGE_FILES, pageHtml, POLICY, swaggerUiFolder } from './page.js'
import { startScript, type Login } from './page-script.js'
import { areSameRoutes, listedRoutes, type ListedRoute } from './routes.js'

/** The route where callers sign in: a path, a path for each application, or `false` for none. */
type LoginOption = string | Readonly<Record<string, string>> | false

export interface OpenApiRouterOptions extends OpenApiOptions {
  /** Documentation domains that have a separate document in addition to the whole: `admin` at `/openapi/admin.json`. */
  readonly domains?: readonly string[] | undefined
  /** The path of the document. @default '/openapi.json' */
  readonly path?: string | undefined
  /** The path of the documentation page, or `false` for none. @default '/docs' */
  readonly page?: string | false | undefined
  /**
   * The route where the page signs in, e.g. `/admin/login`, or one for each application: its reply has the token.
   * `false` shows no form.
   *
   * @default the public POST routes of each application that are called `login`, `sign-in`, `session` or `token`
   */
  readonly login?: LoginOption | undefined
  /** Middleware in front of documents and page, e.g. authentication. */
  readonly protect?: RequestHandler | readonly RequestHandler[] | undefined
}

/**
 * Serves the document of the mounted routes, and a page that shows it: Swagger UI out of local files, which contacts no
 * other host and runs under `script-src 'self'`. Routes that are mounted later are in it.
 *
 * The page needs the package `swagger-ui-dist`.
 *
 * @throws MisuseError `openapi_options` for an invalid option, `swagger_ui_missing` without the package.
 * @example
 * app.use(openapiRouter(app, { title: 'Blog', version: '1.0.0', domains: ['admin', 'shop'] }))
 */
export function openapiRouter(appOrRouter: object, options: OpenApiRouterOptions): Router {
  checkCalled('app.use(openapiRouter(app, { title, version }))', appOrRouter)
  checkOptions(options, ['domains', 'path', 'page', 'protect', 'login'])
  const { domains = [], path = '/openapi.json', page = '/docs', protect = [], login, ...rest } = options
  checkDomains('domains', domains)
  checkLogin(login)
  checkPath('path', path)
  const router = Router({ strict: true })
  const guards = [protect].flat()
  checkGuards(guards)
  const documents = [
    { path, doc: rest.doc, name: 'all' },
    ...domains.map((domain) => ({ path: domainPath(path, domain), doc: domain, name: domain })),
  ]
  for (const document of documents) {
    router.get(document.path, ...guards, documentHandler(appOrRouter, { ...rest, doc: document.doc }))
  }
  if (page === false) return router
  checkPath('page', page)
  const shown = documents.map((document) => (
    { name: document.name, url: posix.relative(posix.dirname(page), document.path) }
  ))
  const script = (): string => startScript(shown, loginsOf(listedRoutes(appOrRouter), login))
  mountPage(router, page, guards, { title: options.title, script })
  return router
}

function misuse(message: string): MisuseError {
  return new MisuseError('openapi_options', message)
}

function checkPath(what: string, path: string): void {
  if (/^(?:\/[\w.-]+)+$/.test(path)) return
  throw misuse(`The \`${what}\` of an OpenAPI document is a path like /docs, not ${JSON.stringify(path)}.`)
}

/** @throws MisuseError `openapi_options` for a function with four parameters too, which Express would skip */
function checkGuards(guards: readonly unknown[]): void {
  if (guards.every((guard) => typeof guard === 'function' && guard.length <= 3)) return
  throw misuse('The `protect` of an OpenAPI document is middleware `(req, res, next)`, or a list of it.')
}

function checkLogin(login: unknown): void {
  const paths = typeof login === 'object' && login !== null
    ? Object.values(login)
    : [login === false ? undefined : login]
  for (const path of paths) {
    // Two slashes at the beginning would be another host, which would get the password.
    if (path === undefined || (typeof path === 'string' && /^\/(?![/\\])[\w./~-]*$/.test(path))) continue
    throw misuse(`The \`login\` of a documentation page is a path like /admin/login, not ${show(path)}.`)
  }
}

/** The end of the path of a login. */
const LOGIN = /\/(?:log-?in|sign-?in|sessions?|tokens?)$/i

/** Returns the login of each application: those of the option, otherwise public POST routes that are called so. */
function loginsOf(listed: readonly ListedRoute[], option: LoginOption | undefined): Login[] {
  if (option === false) return []
  const apps = [...new Set(listed.flatMap(({ route }) => route.guardedBy))]
  if (typeof option === 'object') return Object.entries(option).map(([app, path]) => ({ app, path }))
  if (typeof option === 'string') {
    const own = listed.find(({ path, route }) => path === option && route.method === 'POST')?.route.app
    return (own === undefined ? apps : [own]).map((app) => ({ app, path: option }))
  }
  const logins = listed.filter(({ path, route }) => isLogin(route) && LOGIN.test(path) && !/[:*{]/.test(path))
  return apps.flatMap((app) => {
    const login = logins.find(({ route }) => route.app === app)
      ?? (apps.length === 1 ? logins.find(({ route }) => route.app === undefined) : undefined)
    return login === undefined ? [] : [{ app, path: login.path }]
  })
}

function isLogin({ method, guardedBy, doc }: MountedRoute): boolean {
  return method === 'POST' && guardedBy.length === 0 && doc !== false
}

function domainPath(path: string, domain: string): string {
  if (!/^[\w.-]+$/.test(domain)) {
    throw misuse(`A documentation domain that is served is a plain word, not ${JSON.stringify(domain)}.`)
  }
  return `${path.replace(/\.json$/, '')}/${domain}.json`
}

interface Written {
  readonly routes: readonly ListedRoute[]
  readonly body: Buffer
  readonly etag: string
}

/** Sends the document, which is written once, and again when the routes have changed. */
function documentHandler(appOrRouter: object, options: OpenApiOptions): RequestHandler {
  let written: Written | undefined
  const current = (): Written => {
    const routes = listedRoutes(appOrRouter)
    const before = written !== undefined && areSameRoutes(routes, written.routes) ? written : undefined
    // The new list is kept even if it has the same routes, since it is not compared with itself.
    return written = { ...(before ?? write(appOrRouter, options)), routes }
  }
  // A fault in the document is found when the app starts, not by its first reader.
  if (isApp(appOrRouter)) appOrRouter.once(SERVING, current)
  return (_req, res) => {
    const { body, etag } = current()
    res.set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache', ETag: etag })
    res.send(body)
  }
}

function write(appOrRouter: object, options: OpenApiOptions): Pick<Written, 'body' | 'etag'> {
  const body = Buffer.from(JSON.stringify(openapi(appOrRouter, options)))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

function mountPage(
  router: Router,
  page: string,
  guards: readonly RequestHandler[],
  { title, script }: { readonly title: string; readonly script: () => string },
): void {
  const root = swaggerUiFolder()
  const folder = posix.basename(page)
  const html = pageHtml(title, folder)
  const secure: RequestHandler = (_req, res, next) => {
    res.set({
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    next()
  }
  const secured = [...guards, secure]
  router.get(page, ...secured, (_req, res) => void res.type('html').send(html))
  // The addresses in the page are relative, so that it also works behind a proxy that adds a prefix; so it has one
  // address only.
  router.get(`${page}/`, ...guards, (_req, res) => res.redirect(308, `../${folder}`))
  router.get(`${page}/start.js`, ...secured, (_req, res) => void res.type('js').send(script()))
  router.get(`${page}/:file`, ...secured, (req, res, next) => {
    const file = PAGE_FILES.find((name) => name === req.params.file)
    if (file === undefined) next()
    else res.sendFile(file, { root })
  })
}
