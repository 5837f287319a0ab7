import type { Express, Router } from 'express'
import { openapiRouter } from 'resourcery/openapi'

/** `/openapi.json`, one document more for each application, and `/docs`, the page that shows them. */
export function documents(app: Express, domains: readonly string[]): Router {
  return openapiRouter(app, {
    title: 'The blog',
    version: '1.0.0',
    description:
      'Two applications in one: `admin` keeps users and posts, `shop` takes orders. Sign in at `POST /admin/login` or '
      + '`POST /shop/login`.',
    contact: { name: 'The authors of the blog', email: 'admin@example.test' },
    license: { name: 'MIT', identifier: 'MIT' },
    domains,
  })
}
