import express, { type Express } from 'express'
import { auth, paginate, RequestParam, errorHandler, mountResource, mountRoutes, notFound, param,
  permission } from 'resourcery'
import { openapiRouter } from 'resourcery/openapi'
import { z } from 'zod'

const Address = z.object({ street: z.string().min(1).max(80), zip: z.string().regex(/^\d{5}$/),
  country: z.enum(['DE', 'FR', 'IT']).default('DE') })
const Shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
  z.object({ kind: z.literal('square'), side: z.number().min(0.5).max(10) }),
])

const Everything = z.object({
  text: z.string(),
  short: z.string().min(2).max(10),
  trimmed: z.string().trim().min(1).max(20),
  lower: z.string().toLowerCase().max(20).optional(),
  code: z.string().regex(/^[A-Z]{2}-\d{2,4}$/).optional(),
  starts: z.string().startsWith('a').endsWith('z').optional(),
  email: z.email().optional(),
  url: z.url().optional(),
  web: z.httpUrl().optional(),
  uuid: z.uuid().optional(),
  ip: z.ipv4().optional(),
  stamp: z.iso.datetime().optional(),
  day: z.iso.date().optional(),
  clock: z.iso.time().optional(),
  calendar: param.calendarDate().optional(),
  at: param.date().optional(),
  amount: param.decimal({ scale: 2 }).optional(),
  whole: param.decimal({ scale: 0 }).optional(),
  big: param.bigint().optional(),
  count: param.int().min(0).max(50).optional(),
  ratio: param.number().min(-1).max(1).optional(),
  even: z.int().multipleOf(2).optional(),
  above: z.number().gt(0).lt(5).optional(),
  flag: param.bool().optional(),
  yes: z.literal(true).optional(),
  choice: z.enum(['a', 'b', 'c']).nullable().optional(),
  either: z.union([z.string().max(5), z.int(), z.null()]).optional(),
  tags: z.array(z.string().min(1).max(8)).max(4).default([]),
  sizes: z.array(z.int()).min(1).max(3).optional(),
  pair: z.tuple([z.string(), z.int()]).optional(),
  list: param.list(z.enum(['x', 'y'])).optional(),
  scores: z.record(z.string(), z.int().min(0)).optional(),
  byKey: z.partialRecord(z.enum(['one', 'two']), z.boolean()).optional(),
  address: Address.optional(),
  strict: z.strictObject({ a: z.int(), b: z.string().optional() }).optional(),
  loose: z.looseObject({ a: z.int() }).optional(),
  shape: Shape.optional(),
  shapes: z.array(Shape).max(3).optional(),
  anything: z.unknown().optional(),
  json: z.json().optional(),
  nullable: z.string().max(5).nullish(),
  with: z.intersection(z.object({ one: z.int() }), z.object({ two: z.string().max(3) })).optional(),
})

interface Node {
  name: string
  inside: Node[]
}
const Node: z.ZodType<Node> = z.object({ name: z.string().min(1).max(10), get inside() {
  return z.array(Node).max(2)
} }).meta({ id: 'Node' })

const RULES = {
  title: [['required', 'Title?'], ['lengthMax', 12, 'Long']],
  mail: [['required', 'Mail?'], ['email', 'Not an address']],
  site: [['url', 'Not a URL']],
  age: [['integer', 'Whole'], ['min', 18, 'Young'], ['max', 99, 'Old']],
  price: [['min', 0, 'Low']],
  state: [['in', ['on', 'off'], 'on or off']],
  code: [['regex', /^[a-z]+-\d$/, 'Code']],
  agreed: [['boolean', 'Yes or no']],
  since: [['date', 'A date']],
  tags: [['array', 'A list']],
} as const

/** Mounts handlers with declarations of many kinds; each echoes what it has read. */
export function handlersApp(): Express {
  const app = express()
  const keyed = express.Router()
  keyed.use(
    auth('keys', { verify: (req) => (req.get('X-Key') === 'k' ? { id: 1, permissions: ['*'] } : null) }, {
      scheme: { type: 'apiKey', in: 'header', name: 'X-Key' },
    }),
    permission('keys'),
  )
  app.use('/keyed', keyed)

  mountResource(app, {
    route: '/things',
    name: 'things',
    handlers: {
      list: {
        input: z.object({
          page: param.int().min(1).max(1000).default(1),
          q: z.string().min(2).max(20).optional(),
          tag: param.list(z.string().min(1)).max(5).optional(),
          since: param.date().optional(),
          day: param.calendarDate().optional(),
          min: param.number().min(0).optional(),
          on: param.bool().optional(),
          kind: z.enum(['a', 'b']).optional(),
          big: param.bigint().optional(),
          price: param.decimal({ scale: 2 }).optional(),
        }),
        output: z.array(z.object({ id: z.int() })),
        handler: () => [{ id: 1 }],
      },
      show: { input: z.object({ id: z.uuid() }), output: z.object({ id: z.uuid() }),
        handler: (_req, _res, { id }) => ({ id }) },
      create: { input: Everything,
        output: z.object({ text: z.string(), big: z.bigint().optional(), at: z.date().optional() }),
        handler: (_req, _res, input) => input },
      edit: { input: z.object({ id: z.uuid(), ...Everything.shape }), output: z.object({ id: z.uuid() }),
        handler: (_req, _res, { id }) => ({ id }) },
      delete: { input: z.object({ id: z.uuid(), force: param.bool().optional() }), handler: () => null },
    },
    custom: {
      tree: { methods: ['POST'], route: '/tree', input: Node, output: Node, handler: (_req, _res, node) => node },
      shape: { methods: ['POST'], route: '/shape', input: Shape, output: Shape, handler: (_req, _res, shape) => shape },
      either: {
        methods: ['POST'],
        route: '/either',
        input: z.union([z.object({ mail: z.email() }), z.object({ phone: z.string().regex(/^\+\d{6,12}$/) })]),
        handler: () => null,
      },
      strict: { methods: ['POST'], route: '/strict', input: z.strictObject({ a: z.int(), b: z.string().optional() }),
        handler: () => null },
      many: { methods: ['POST'], route: '/many', input: z.object({ items: z.array(Address).min(1).max(3) }),
        handler: () => null },
      none: { methods: ['POST'], route: '/none', handler: () => null },
      plain: { methods: ['GET'], route: '/plain', produces: 'text/plain',
        handler: (_req, res) => void res.type('text/plain').send('a') },
    },
  })
  mountResource(app, {
    route: '/rules',
    name: 'rules',
    handlers: {
      show: { input: { id: [['required', 'id'], ['integer', 'Whole'], ['min', 1, 'min']] }, handler: () => null },
      create: { input: RULES, handler: () => null },
      list: { input: { state: [['in', ['on', 'off'], 'x']], age: [['integer', 'Whole']] },
        handler: (req) => paginate([], RequestParam.page(req)) },
    },
  })
  mountRoutes(app, {
    route: '/files',
    name: 'files',
    routes: {
      one: {
        methods: ['POST'],
        route: '/one',
        files: { image: { required: true, types: ['image/png'] } },
        input: z.object({ caption: z.string().max(20).optional(), size: param.int().min(1).optional(),
          tags: param.list(z.string().min(1)).optional(), days: z.array(z.string().max(5)).max(3).optional() }),
        handler: () => null,
      },
      several: { methods: ['POST'], route: '/several', files: { papers: { maxCount: 3, required: true } },
        handler: () => null },
      optional: { methods: ['POST'], route: '/optional', files: { paper: {} },
        input: z.object({ name: z.string().min(1) }), handler: () => null },
    },
  })
  mountRoutes(keyed, {
    app: 'keys',
    route: '/notes',
    name: 'notes',
    routes: {
      headers: {
        methods: ['GET'],
        route: '/:slug/*rest',
        input: z.object({ slug: z.string().regex(/^[a-z-]+$/), rest: z.array(z.string()) }),
        handler: () => null,
      },
      patch: { methods: ['PATCH'], route: '/:id',
        input: z.object({ id: param.int().min(1), title: z.string().min(1).optional() }), handler: () => null },
    },
  })
  app.use(openapiRouter(app, { title: 'Handlers', version: '1.0.0' }), notFound(),
    errorHandler({ log: () => undefined }))
  return app
}
