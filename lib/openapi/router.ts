import { posix } from 'node:path'
import { Router, type RequestHandler } from 'express'
import { MisuseError } from '../errors.js'
import { checkOptions, type OpenApiOptions } from './options.js'
import { pageHtml, POLICY, startScript, type PageDocument } from './page.js'
import { servedDocument } from './served-document.js'
import { FILES, swaggerUiFolder } from './swagger-ui.js'

export interface OpenApiRouterOptions extends OpenApiOptions {
  /** Documentation domains that have a document of their own beside the whole: `admin` at `/openapi/admin.json`. */
  readonly domains?: readonly string[] | undefined
  /** Where the document is. @default '/openapi.json' */
  readonly path?: string | undefined
  /** Where the documentation page is, or that there is none. @default '/docs' */
  readonly page?: string | false | undefined
  /** Middleware in front of documents and page alike, e.g. a sign-in. */
  readonly protect?: RequestHandler | readonly RequestHandler[] | undefined
}

/**
 * Serves the document of the mounted routes, and a page that shows it: Swagger UI out of local files, which asks no other host
 * and runs under `script-src 'self'`. Routes that are mounted later are in it.
 *
 * The page needs the package `swagger-ui-dist`.
 *
 * @throws MisuseError `openapi_options` for an option that makes no sense, `swagger_ui_missing` without the package.
 * @example
 * app.use(openapiRouter(app, { title: 'Blog', version: '1.0.0', domains: ['admin', 'shop'] }))
 */
export function openapiRouter(appOrRouter: object, options: OpenApiRouterOptions): Router {
  checkOptions(options, ['domains', 'path', 'page', 'protect'])
  const { domains = [], path = '/openapi.json', page = '/docs', protect = [], ...rest } = options
  checkPath('path', path)
  const router = Router({ strict: true })
  const guards = [protect].flat()
  const documents = [{ path, doc: rest.doc, name: 'all' }, ...domains.map((domain) => ({ path: domainPath(path, domain), doc: domain, name: domain }))]
  for (const document of documents) router.get(document.path, ...guards, servedDocument(appOrRouter, { ...rest, doc: document.doc }))
  if (page === false) return router
  checkPath('page', page)
  const shown = documents.map((document) => ({ name: document.name, url: posix.relative(posix.dirname(page), document.path) }))
  mountPage(router, page, guards, { title: options.title, shown })
  return router
}

function checkPath(what: string, path: string): void {
  if (/^(?:\/[\w.-]+)+$/.test(path)) return
  throw new MisuseError('openapi_options', `The \`${what}\` of an OpenAPI document is a path like /docs, not ${JSON.stringify(path)}.`)
}

function domainPath(path: string, domain: string): string {
  if (!/^[\w.-]+$/.test(domain)) throw new MisuseError('openapi_options', `A documentation domain that is served is a plain word, not ${JSON.stringify(domain)}.`)
  return `${path.replace(/\.json$/, '')}/${domain}.json`
}

interface Shown {
  readonly title: string
  readonly shown: readonly PageDocument[]
}

function mountPage(router: Router, page: string, guards: readonly RequestHandler[], { title, shown }: Shown): void {
  const root = swaggerUiFolder()
  const folder = posix.basename(page)
  const html = pageHtml(title, folder)
  const script = startScript(shown)
  const secure: RequestHandler = (_req, res, next) => {
    res.set({ 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' })
    next()
  }
  router.get(page, ...guards, secure, (_req, res) => void res.type('html').send(html))
  // The addresses in the page are relative, so that it also works behind a proxy that adds a prefix: it has one address only.
  router.get(`${page}/`, ...guards, (_req, res) => res.redirect(308, `../${folder}`))
  router.get(`${page}/start.js`, ...guards, secure, (_req, res) => void res.type('js').send(script))
  router.get(`${page}/:file`, ...guards, secure, (req, res, next) => {
    const file = FILES.find((one) => one === req.params.file)
    if (file === undefined) next()
    else res.sendFile(file, { root })
  })
}
