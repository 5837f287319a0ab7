import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routesOf } from '../../lib/resource/routes-of.js'
import { startBlog, STARTING, type Blog } from '../support/blog.js'

let blog: Blog

beforeAll(async () => {
  blog = await startBlog()
}, STARTING)
afterAll(() => blog.close())

async function documentAt(path: string): Promise<{ readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>> }> {
  const { status, body } = await blog.get(path)
  expect(status).toBe(200)
  return body as never
}

async function documented(path: string): Promise<string[]> {
  const { paths } = await documentAt(path)
  return Object.entries(paths).flatMap(([template, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${template}`)).sort()
}

function served(app?: string): string[] {
  const routes = routesOf(blog.app).filter((route) => app === undefined || route.app === app)
  return routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).sort()
}

describe('the documents of the blog', () => {
  it('tell of every resource route that is served, and of no other', async () => {
    expect(await documented('/openapi.json')).toEqual(served())
    expect(await documented('/openapi/admin.json')).toEqual(served('admin'))
    expect(await documented('/openapi/shop.json')).toEqual(served('shop'))
    expect(served().length).toBeGreaterThan(20)
  })

  it('name each operation after its route', async () => {
    const { paths } = await documentAt('/openapi.json')
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(ids.sort()).toEqual(routesOf(blog.app).map(({ name }) => name).sort())
  })

  it('are shown by a page', async () => {
    const { status, headers, text } = await blog.get('/docs')
    expect([status, text]).toEqual([200, expect.stringContaining('swagger-ui-bundle.js')])
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  })
})
