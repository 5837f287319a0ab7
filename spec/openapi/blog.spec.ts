import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routesOf } from 'resourcery'
import { startBlog, STARTING, type Blog } from '../support/blog.js'

let blog: Blog

beforeAll(async () => {
  blog = await startBlog()
}, STARTING)
afterAll(() => blog.close())

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

async function documentAt(path: string): Promise<Document> {
  const { status, body } = await blog.get(path)
  expect(status).toBe(200)
  return body as never
}

async function documented(path: string): Promise<string[]> {
  const { paths } = await documentAt(path)
  return Object
    .entries(paths)
    .flatMap(([template, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${template}`))
    .sort()
}

function served(app?: string): string[] {
  const routes = routesOf(blog.app).filter((route) => app === undefined || route.app === app)
  return routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).sort()
}

describe('the documents of the blog', () => {
  it('contain exactly the served resource routes', async () => {
    expect(await documented('/openapi.json')).toEqual(served())
    expect(await documented('/openapi/admin.json')).toEqual(served('admin'))
    expect(await documented('/openapi/shop.json')).toEqual(served('shop'))
    expect(served().length).toBeGreaterThan(20)
  })

  it('name operations and models after the resources', async () => {
    const { paths, components } = await documentAt('/openapi.json')
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(ids.sort()).toEqual([
      'avatarUser',
      'createOrder',
      'createPost',
      'createUser',
      'deletePost',
      'deletePosts',
      'deleteUser',
      'deleteUsers',
      'exportUsers',
      'healthUsers',
      'listOrders',
      'listPosts',
      'listUsers',
      'loginAdminSession',
      'loginShopSession',
      'purgePost',
      'replacePost',
      'replaceUser',
      'restorePost',
      'showOrder',
      'showPost',
      'showUser',
      'updatePost',
      'updateUser',
    ])
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining([
      'Post',
      'PostCreate',
      'PostReplace',
      'PostUpdate',
      'User',
      'UserCreate',
      'UserReplace',
      'UserUpdate',
      'Order',
      'OrderCreate',
    ]))
  })

  it('use the same names in all documents', async () => {
    const [all, admin, shop] = await Promise.all(
      ['/openapi.json', '/openapi/admin.json', '/openapi/shop.json'].map(documentAt),
    )
    expect({ ...admin?.paths, ...shop?.paths }).toEqual(all?.paths)
    expect({ ...admin?.components.schemas, ...shop?.components.schemas }).toEqual(all?.components.schemas)
  })

  it('are shown on a page', async () => {
    const { status, headers, text } = await blog.get('/docs')
    expect([status, text]).toEqual([200, expect.stringContaining('swagger-ui-bundle.js')])
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  })
})
