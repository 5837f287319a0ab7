import express, { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { openapi, type OpenApiOptions } from 'resourcery/openapi'
import { param } from 'resourcery'
import { resource } from 'resourcery'
import { mountController } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { memoryStore } from 'resourcery/crud'

const info = { title: 'Test', version: '1.0.0' }
const nothing = (): never => null as never
const all = {
  list: nothing,
  show: nothing,
  create: nothing,
  edit: nothing,
  store: nothing,
  delete: nothing,
  deleteMany: nothing,
}

type Mount = (router: Router) => unknown

/** Returns the operation ids of the mounted routes, in the order of the document. */
function idsOf(mount: Mount | readonly Mount[], options: Partial<OpenApiOptions> = {}): string[] {
  const router = Router()
  for (const one of [mount].flat()) one(router)
  return Object
    .values(openapi(router, { ...info, ...options }).paths)
    .flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    .sort()
}

/** Returns the component names of the mounted routes, except those in every document. */
function modelsOf(mount: Mount | readonly Mount[]): string[] {
  const router = Router()
  for (const one of [mount].flat()) one(router)
  const shared = [
    'ErrorEnvelope',
    'ErrorMeta',
    'ValidationEnvelope',
    'Meta',
    'PageMeta',
    'CreatedMeta',
    'UpdatedMeta',
    'DeletedMeta',
  ]
  return Object.keys(openapi(router, info).components.schemas).filter((name) => !shared.includes(name))
}

const mounted = (name: string, more: object = {}): Mount => (router) =>
  mountResource(router, { route: `/${name}`, name, handlers: all, ...more })

describe('operation ids', () => {
  it('consist of a verb and the resource, in the singular for one record', () => {
    expect(idsOf(mounted('posts'))).toEqual([
      'createPost',
      'deletePost',
      'deletePosts',
      'listPosts',
      'replacePost',
      'showPost',
      'updatePost',
    ])
  })

  it.each([
    ['people', 'showPerson'],
    ['categories', 'showCategory'],
    ['statuses', 'showStatus'],
    ['news', 'showNews'],
    ['addresses', 'showAddress'],
    ['movies', 'showMovie'],
    ['analyses', 'showAnalysis'],
    ['databases', 'showDatabase'],
    ['boxes', 'showBox'],
    ['invoices', 'showInvoice'],
    ['blog-posts', 'showBlogPost'],
    ['post_tags', 'showPostTag'],
    ['postTags', 'showPostTag'],
    ['crm.companies', 'showCrmCompany'],
    ['tickets.comments', 'showTicketComment'],
    ['APIKeys', 'showAPIKey'],
    ['URLs', 'showURL'],
    ['DNS', 'showDNS'],
    ['user', 'showUser'],
    ['children', 'showChild'],
    ['indices', 'showIndex'],
    ['heroes', 'showHero'],
    ['buses', 'showBus'],
    ['menus', 'showMenu'],
    ['quizzes', 'showQuiz'],
    ['wolves', 'showWolf'],
    ['archives', 'showArchive'],
    ['branches', 'showBranch'],
    ['caches', 'showCache'],
    ['houses', 'showHouse'],
    ['media', 'showMedia'],
    ['keys', 'showKey'],
    ['ties', 'showTie'],
    ['processes', 'showProcess'],
    ['grandchildren', 'showGrandchild'],
    ['salespeople', 'showSalesperson'],
    ['craftsmen', 'showCraftsman'],
    ['specimens', 'showSpecimen'],
    ['zombies', 'showZombie'],
    ['scarves', 'showScarf'],
    ['sleeves', 'showSleeve'],
    ['syllabuses', 'showSyllabus'],
    ['alumni', 'showAlumnus'],
    ['headquarters', 'showHeadquarters'],
    ['APIs', 'showAPI'],
    ['partnerGPUs', 'showPartnerGPU'],
    ['os', 'showOs'],
  ])('use for one of `%s` the singular in %s', (name, id) => {
    expect(idsOf((router) => mountResource(router, { route: '/x', name, handlers: { show: nothing } }))).toEqual([id])
  })

  it('use a declared singular, also in summaries and with a builder', () => {
    const router = Router()
    mountResource(router, {
      route: '/staff',
      name: 'staff',
      singular: 'member',
      handlers: { list: nothing, show: nothing },
    })
    resource(router, '/club/kine').singular('cow').show(nothing)
    const { paths } = openapi(router, info)
    expect([
      paths['/staff']?.get?.operationId,
      paths['/staff/{id}']?.get?.operationId,
      paths['/staff/{id}']?.get?.summary,
    ])
      .toEqual(['listStaff', 'showMember', 'Show one member'])
    expect([paths['/club/kine/{id}']?.get?.operationId, paths['/club/kine/{id}']?.get?.summary]).toEqual([
      'showClubCow',
      'Show one cow',
    ])
    expect(() => mounted('x', { singular: 'a b' })(Router())).toThrow(expect.objectContaining({ code: 'name_invalid' }))
  })

  it('name custom actions, in the singular after the key of a record, with the second method if any', () => {
    expect(idsOf(mounted('posts', {
      actions: [],
      handlers: {},
      custom: {
        export: { methods: ['GET', 'POST'], route: '/export', handler: nothing },
        sync: { methods: ['POST', 'PUT', 'PATCH'], route: '/sync', handler: nothing },
        publish: { methods: ['POST'], route: '/:id/publish', handler: nothing },
        'mark-read': { methods: ['POST'], route: '/:slug/read', handler: nothing },
        archivePosts: { methods: ['POST'], route: '/archive', handler: nothing },
      },
    })))
      .toEqual([
        'archivePosts',
        'exportPosts',
        'exportPostsPost',
        'markReadPost',
        'publishPost',
        'syncPosts',
        'syncPostsPatch',
        'syncPostsPut',
      ])
  })

  it('name groups of routes and controllers', () => {
    expect(idsOf((router) => {
      mountRoutes(router, { route: '', routes: { ping: { route: '/ping', handler: nothing } } })
      mountRoutes(router, {
        route: '/reports',
        routes: { sales: { route: '/:year/sales', handler: nothing }, all: { route: '/all', handler: nothing } },
      })
      mountController(router, '/jobs', { run: nothing }, { doc: 'jobs', methods: { run: 'POST' } })
    })).toEqual(['allReports', 'ping', 'runJobs', 'runJobsById', 'salesReport'])
  })

  it('include the application if two share an id in the whole app', () => {
    const [admin, shop] = ['admin', 'shop'].map((app) =>
      mounted('posts', {
        app,
        route: `/${app}/posts`,
        handlers: { list: nothing, ...(app === 'admin' && { create: nothing }) },
      })
    )
    const other = mounted('posts', { handlers: { list: nothing } })
    expect(idsOf([admin, shop, other] as Mount[])).toEqual([
      'createPost',
      'listAdminPosts',
      'listPosts',
      'listShopPosts',
    ])
    expect(idsOf([other, shop, admin] as Mount[])).toEqual([
      'createPost',
      'listAdminPosts',
      'listPosts',
      'listShopPosts',
    ])
    expect(idsOf([admin, shop] as Mount[], { doc: 'shop' })).toEqual(['listShopPosts'])
    expect(
      idsOf([
        mounted('orders', { app: 'my-admin', handlers: { list: nothing } }),
        mounted('orders', { app: 'b2b', route: '/b', handlers: { list: nothing } }),
      ]),
    )
      .toEqual(['listB2bOrders', 'listMyAdminOrders'])
  })

  it('ignore routes that are in no document', () => {
    expect(
      idsOf([
        mounted('posts', { app: 'shop', handlers: { list: nothing } }),
        mounted('posts', { app: 'internal', route: '/i', doc: false, handlers: { list: nothing } }),
      ]),
    )
      .toEqual(['listPosts'])
  })

  it('differ if plural and singular are equal, or if an action is named like a verb', () => {
    expect(idsOf(mounted('sheep', { singular: 'sheep' }))).toEqual([
      'createSheep',
      'deleteManySheep',
      'deleteSheep',
      'listSheep',
      'replaceSheep',
      'showSheep',
      'updateSheep',
    ])
    const bulk = { methods: ['PUT'], route: '', handler: nothing }
    expect(idsOf(mounted('series', { handlers: { store: nothing }, custom: { updateMany: bulk } }))).toEqual([
      'updateManySeries',
      'updateSeries',
    ])
    expect(
      idsOf(
        mounted('posts', {
          handlers: { edit: nothing },
          custom: { replace: { methods: ['POST'], route: '/:id/replace', handler: nothing } },
        }),
      ),
    )
      .toEqual(['editPost', 'replacePost'])
  })

  it('include the path of a Router that is mounted twice, or a number', () => {
    const router = Router()
    mountResource(router, { route: '/items', name: 'items', handlers: { list: nothing } })
    expect(idsOf((root) => root.use('/v1', router).use('/v2', router))).toEqual(['listV1Items', 'listV2Items'])
    expect(idsOf((root) => root.use('/:a', router).use('/:a/:b', router))).toEqual(['listItems', 'listItems2'])
  })

  it("have the dotted form with `operationIds: 'dotted'`", () => {
    const mount: Mount = (router) =>
      mountResource(router, {
        app: 'admin',
        route: '/posts',
        name: 'posts',
        handlers: { list: nothing, edit: nothing },
        custom: { export: { methods: ['GET', 'POST'], route: '/export', handler: nothing } },
      })
    expect(idsOf(mount, { operationIds: 'dotted' })).toEqual([
      'admin.posts.edit',
      'admin.posts.export',
      'admin.posts.export.post',
      'admin.posts.list',
    ])
  })

  it('come from a function, which must return different ones', () => {
    const mount = mounted('posts', { app: 'admin', handlers: { list: nothing, show: nothing } })
    const operationIds: OpenApiOptions['operationIds'] = ({ method, path }) => `${method} ${path}`
    expect(idsOf((root) => {
      const router = Router()
      mount(router)
      root.use('/v1', router)
    }, { operationIds })).toEqual(['GET /v1/posts', 'GET /v1/posts/:id'])
    for (const wrong of [() => 'same', () => '', () => undefined]) {
      expect(() => idsOf(mount, { operationIds: wrong as never })).toThrow(
        expect.objectContaining({ code: 'openapi_operation_id' }),
      )
    }
  })
})

describe('model names', () => {
  const Post = z.object({ id: z.int(), title: z.string() })
  const New = Post.pick({ title: true })
  const handler = nothing

  it('consist of the resource and the use in an action', () => {
    expect(modelsOf(mounted('posts', {
      handlers: {
        list: { output: z.array(Post), handler },
        show: { output: Post, handler },
        create: { input: New, output: Post, handler },
        edit: { input: New.extend({ id: param.int() }), output: Post, handler },
        store: { input: New.partial(), output: Post, handler },
      },
    })))
      .toEqual(['Post', 'PostCreate', 'PostReplace', 'PostUpdate'])
  })

  it('cover crud, nested resources and bulk actions', () => {
    const store = memoryStore<z.infer<typeof Post> & { blogId: number }>({ key: 'id', rows: [] })
    const options = { input: New, output: Post, bulk: true } as const
    expect(modelsOf((router) =>
      mountResource(router, {
        route: '/blogs/:blogId/posts',
        name: 'blogs.posts',
        ...crud(store, { ...options, parent: { arg: 'blogId', column: 'blogId' } }),
      })
    ))
      .toEqual([
        'BlogPost',
        'BlogPostCreate',
        'BlogPostCreateMany',
        'BlogPostReplace',
        'BlogPostUpdate',
        'BlogPostUpdateMany',
      ])
  })

  it('can be declared, and are used in references', () => {
    const Author = z.object({ id: z.int() }).meta({ id: 'Writer' })
    const Tag = z.object({ name: z.string() })
    const Whole = Post.extend({ author: Author, tags: z.array(Tag) })
    const router = Router()
    mountResource(router, { route: '/posts', name: 'posts', handlers: { show: { output: Whole, handler } } })
    mountResource(router, { route: '/tags', name: 'tags', handlers: { list: { output: z.array(Tag), handler } } })
    mountResource(router, { route: '/writers', name: 'writers', handlers: { show: { output: Author, handler } } })
    const { schemas } = openapi(router, info).components
    expect(schemas.Post).toMatchObject({
      properties: {
        author: { $ref: '#/components/schemas/Writer' },
        tags: { items: { $ref: '#/components/schemas/Tag' } },
      },
    })
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Post', 'Tag', 'Writer']))
  })

  it('distinguish list items, records, and arguments and replies of custom actions', () => {
    expect(modelsOf(mounted('posts', {
      handlers: {
        list: { output: z.array(New), handler },
        show: { output: Post, handler },
        create: { output: Post.extend({ url: z.url() }), handler },
      },
      custom: {
        publish: {
          methods: ['POST'],
          route: '/:id/publish',
          input: z.object({ id: param.int(), at: param.date() }),
          output: Post,
          handler,
        },
        search: { methods: ['GET'], route: '/search', output: z.array(z.object({ hit: z.string() })), handler },
        count: { methods: ['GET'], route: '/count', output: z.object({ count: z.int() }), handler },
        latest: { methods: ['GET'], route: '/latest', output: z.nullable(Post), handler },
      },
    }))).toEqual(['Post', 'PostCountResult', 'PostCreateResult', 'PostListItem', 'PostPublish', 'PostSearchItem'])
  })

  it('are shared by equal models, and include the application otherwise', () => {
    const of = (app: string, output: z.ZodType, route = `/${app}`): Mount =>
      mounted('posts', { app, route, handlers: { show: { output, handler }, create: { input: New, handler } } })
    const equal = z.object({ id: z.int(), title: z.string() })
    expect(modelsOf([of('admin', Post), of('shop', equal)])).toEqual(['Post', 'PostCreate'])
    expect(modelsOf([of('admin', Post), of('shop', New)])).toEqual(['AdminPost', 'PostCreate', 'ShopPost'])
    expect(modelsOf([of('shop', New), of('admin', Post)])).toEqual(['AdminPost', 'PostCreate', 'ShopPost'])
  })

  it('avoid declared names and reserved ones', () => {
    const Other = z.object({ x: z.int() }).meta({ id: 'Post' })
    expect(
      modelsOf([
        mounted('posts', { handlers: { show: { output: Post, handler } } }),
        mounted('others', { handlers: { show: { output: Other, handler } } }),
      ]),
    )
      .toEqual(['Post', 'Post2'])
    expect(
      modelsOf(mounted('posts', { app: 'a', handlers: { show: { output: z.object({ inner: Other }), handler } } })),
    )
      .toEqual(['APost', 'Post'])
    const metas = Router()
    mountResource(metas, { route: '/metas', name: 'metas', handlers: { show: { output: Post, handler } } })
    expect(Object.keys(openapi(metas, info).components.schemas)).toEqual(expect.arrayContaining(['Meta', 'Meta2']))
  })

  it('do not depend on the order of mounting', () => {
    const mounts = [
      mounted('posts', {
        app: 'admin',
        route: '/a',
        handlers: { show: { output: Post, handler }, create: { input: New, output: Post, handler } },
      }),
      mounted('posts', { app: 'shop', route: '/s', handlers: { list: { output: z.array(New), handler } } }),
      mounted('authors', { handlers: { show: { output: z.object({ posts: z.array(Post), last: New }), handler } } }),
    ]
    const text = (order: readonly number[]): string => {
      const app = express()
      for (const index of order) mounts[index]?.(app)
      return JSON.stringify(openapi(app, info))
    }
    expect(text([2, 1, 0])).toBe(text([0, 1, 2]))
    expect(text([1, 2, 0])).toBe(text([0, 1, 2]))
  })

  it('include routes that were mounted later', () => {
    const router = Router()
    mounted('posts', { handlers: { show: { output: Post, handler } } })(router)
    expect(Object.keys(openapi(router, info).components.schemas)).toContain('Post')
    mounted('tags', { handlers: { show: { output: New, handler } } })(router)
    expect(Object.keys(openapi(router, info).components.schemas)).toEqual(expect.arrayContaining(['Post', 'Tag']))
  })
})
