import { Router } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { openapi, type OpenApiDocument } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'

interface Declared {
  readonly input?: z.ZodType<object>
  readonly output?: z.ZodType
}

/** Returns the components of a document with one POST per declaration, in this order. */
function componentsOf(...declared: readonly Declared[]): OpenApiDocument['components']['schemas'] {
  return documentOf(...declared).components.schemas
}

function documentOf(...declared: readonly Declared[]): OpenApiDocument {
  const router = Router()
  declared.forEach((action, index) => mount(router, index, action))
  return openapi(router, { title: 'Test', version: '1.0.0' })
}

function mount(router: Router, index: number, action: Declared): void {
  mountResource(router, {
    route: `/r${index}`,
    name: `r${index}`,
    actions: false,
    custom: { act: { methods: ['POST'], route: '/act', ...action, handler: (() => null) as never } } as never,
  })
}

/** Returns one schema as the data of a reply. */
function answered(output: z.ZodType): unknown {
  const { paths, components } = documentOf({ output })
  const success = paths['/r0/act']?.post?.responses[200] as unknown as {
    content: Record<string, { schema: { properties: { data: { $ref?: string } } } }>
  }
  const data = success.content['application/json']?.schema.properties.data
  return data?.$ref === undefined ? data : components.schemas[data.$ref.replace('#/components/schemas/', '')]
}

function warnings(): string[] {
  const emitted: string[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void emitted.push(String(warning)))
  onTestFinished(() => spy.mockRestore())
  return emitted
}

describe('the components of a document', () => {
  const Author = z.object({ id: z.int(), name: z.string().default('anonymous') }).meta({ id: 'Author' })
  const Post = z.object({ title: z.string(), author: Author }).meta({ id: 'Post' })

  it('are named by the id of a schema, wherever it is used', () => {
    const schemas = componentsOf({ output: Post }, { output: z.array(Author) })
    expect(schemas.Post).toEqual({
      type: 'object',
      properties: { title: { type: 'string' }, author: { $ref: '#/components/schemas/Author' } },
      required: ['title', 'author'],
    })
    expect(Object.keys(schemas)).toEqual([
      'Author',
      'ErrorEnvelope',
      'ErrorMeta',
      'Meta',
      'PageMeta',
      'Post',
      'ValidationEnvelope',
    ])
  })

  it('are separate if input and output differ, also in nested schemas', () => {
    const schemas = componentsOf({ input: Post, output: Post })
    expect(schemas.Author).toMatchObject({ required: ['id', 'name'] })
    expect(schemas.AuthorInput).toMatchObject({ required: ['id'] })
    expect(schemas.PostInput).toMatchObject({ properties: { author: { $ref: '#/components/schemas/AuthorInput' } } })
    expect(schemas.Post).toMatchObject({ properties: { author: { $ref: '#/components/schemas/Author' } } })
  })

  it('are shared if input and output are equal, or only one is used', () => {
    const Same = z.object({ id: z.int() }).meta({ id: 'Same' })
    const schemas = componentsOf({ input: Same, output: Same }, { input: Author })
    expect(Object.keys(schemas)).toEqual(['Author', 'ErrorEnvelope', 'ErrorMeta', 'Meta', 'Same', 'ValidationEnvelope'])
    expect(schemas.Author).toMatchObject({ required: ['id'] })
  })

  it('have names that do not depend on the order of mounting', () => {
    const Tree = z.object({
      value: z.int(),
      get kids() {
        return z.array(Tree)
      },
    })
    const Other = z.object({
      label: z.string(),
      get next() {
        return Other.optional()
      },
    })
    const declared = [{ input: Post, output: Tree }, { output: z.object({ o: Other, t: Tree, p: Post }) }, {
      input: z.object({ o: Other }),
    }]
    const mounted = (order: readonly number[]): unknown => {
      const router = Router()
      for (const index of order) mount(router, index, declared[index] ?? {})
      return openapi(router, { title: 'Test', version: '1.0.0' })
    }
    expect(JSON.stringify(mounted([2, 0, 1]))).toBe(JSON.stringify(mounted([0, 1, 2])))
  })

  it('contain recursive schemas, named after their position', () => {
    const Tree = z.object({ value: z.int(), get kids() {
      return z.array(Tree)
    } })
    const schemas = componentsOf({ input: Tree, output: Tree }, { output: z.tuple([Tree]) })
    expect(schemas.R0ActResult).toEqual({
      type: 'object',
      required: ['value', 'kids'],
      properties: {
        value: { type: 'integer' },
        kids: { type: 'array', items: { $ref: '#/components/schemas/R0ActResult' } },
      },
    })
    const Named = z
      .object({
        get up() {
          return Named.nullable()
        },
      })
      .meta({ id: 'Named' })
    expect(componentsOf({ output: Named }).Named).toMatchObject({
      properties: { up: { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] } },
    })
    const Json: z.ZodType = z.lazy(() => z.union([z.string(), z.array(Json)]))
    const ofJson = componentsOf({ output: z.object({ payloads: z.array(Json) }) })
    expect(ofJson.R0ActResult).toMatchObject({
      properties: { payloads: { items: { $ref: '#/components/schemas/R0ActResultPayload' } } },
    })
  })

  it('have one meaning per name', () => {
    const conflict = expect.objectContaining({ code: 'component_conflict' }) as Error
    const [A, B] = [z.object({ a: z.int() }).meta({ id: 'Thing' }), z.object({ b: z.int() }).meta({ id: 'Thing' })]
    expect(() => componentsOf({ output: A }, { output: B })).toThrow(conflict)
    expect(() => componentsOf({ output: z.tuple([A, B]) })).toThrow(conflict)
    expect(() => componentsOf({ output: z.object({}).meta({ id: 'PageMeta' }) })).toThrow(conflict)
    const Clash = z.object({}).meta({ id: 'AuthorInput' })
    expect(() => componentsOf({ input: Author, output: z.tuple([Author, Clash]) })).toThrow(conflict)
    const same = (): z.ZodType => z.object({ a: z.int() }).meta({ id: 'Same thing' })
    expect(componentsOf({ output: same() }, { output: same() })).toHaveProperty('Same_thing')
  })
})

describe('a schema in a document', () => {
  it('describes values as they are sent', () => {
    const codec = z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    })
    expect(answered(z.object({
      date: z.date(),
      codec,
      int: param.int(),
      bounded: z.int().min(1).max(9),
      safe: z.number().max(Number.MAX_SAFE_INTEGER),
      list: param.list(param.bool()),
      both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })),
      strict: z.strictObject({}),
      loose: z.looseObject({}),
    })))
      .toMatchObject({
        properties: {
          date: { type: 'string', format: 'date-time' },
          codec: { type: 'string', format: 'date-time' },
          int: { type: 'integer' },
          bounded: { type: 'integer', minimum: 1, maximum: 9 },
          list: { type: 'array', items: { type: 'boolean' } },
          both: { type: 'object', required: ['a', 'b'] },
          strict: { additionalProperties: false },
          loose: { additionalProperties: {} },
        },
      })
    expect(answered(z.object({ a: z.int() }))).toEqual({
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
    })
  })

  it('keeps examples, descriptions and fields named like keywords', () => {
    const schema = z
      .object({
        minimum: z.int(),
        $id: z.string(),
        id: z.int().meta({ description: 'The key', examples: [7] }),
      })
      .meta({ example: { $id: 'x', minimum: 9007199254740991 } })
    expect(answered(schema)).toEqual({
      type: 'object',
      required: ['minimum', '$id', 'id'],
      example: { $id: 'x', minimum: 9007199254740991 },
      properties: {
        minimum: { type: 'integer' },
        $id: { type: 'string' },
        id: { type: 'integer', description: 'The key', examples: [7] },
      },
    })
  })

  it('tells the bounds of bigints and dates, with an example within them', () => {
    const input = z.object({
      between: z.coerce.bigint().gt(5n).lt(9n),
      within: z.coerce.bigint().gte(5n).lte(9n).multipleOf(3n),
      day: z.coerce.date().min(new Date(0)).max(new Date(1e12)),
      own: z.coerce.bigint().multipleOf(7n).meta({ description: 'A count', example: '14' }),
      judged: z.coerce.bigint().min(3n).refine(() => true),
    })
    const { between, within, day, own, judged } = componentsOf({ input })['R0Act']?.properties ?? {}
    expect(between).toMatchObject({ type: 'string', description: 'More than 5, less than 9', examples: ['6'] })
    expect(within).toMatchObject({ description: 'At least 5, at most 9, a multiple of 3', examples: ['6'] })
    expect(day).toMatchObject({
      description: 'Not before 1970-01-01T00:00:00.000Z, not after 2001-09-09T01:46:40.000Z',
      examples: ['1970-01-01T00:00:00.000Z'],
    })
    expect(own).toMatchObject({ description: 'A count, a multiple of 7', example: '14' })
    expect(judged).toMatchObject({ description: 'At least 3' })
    expect(judged).not.toHaveProperty('examples')
  })

  it('has the keywords of both schemas of a pipe, also where one of them has a name', () => {
    const Tag = z.string().regex(/^a/).meta({ id: 'Tag' })
    const input = z.object({
      count: z.number().min(2).pipe(z.int().max(5)),
      first: z.int().describe('First').pipe(z.number().max(5)),
      text: z.string().regex(/^a/).min(2).pipe(z.string().min(3)),
      list: z.array(z.int().min(1)).pipe(z.array(z.int().max(9)).max(3)),
      last: z.array(z.int()).pipe(z.array(z.int()).describe('Last')),
      tag: Tag.pipe(z.string().regex(/z$/)),
      three: z.string().min(1).pipe(z.string().max(3)).pipe(z.enum(['a', 'bc'])),
      decoded: z.stringbool().pipe(z.literal(true)),
    })
    const schemas = componentsOf({ input })
    expect(schemas['R0Act']?.properties).toEqual({
      count: { type: 'integer', minimum: 2, maximum: 5 },
      first: { type: 'integer', maximum: 5, description: 'First' },
      text: { type: 'string', pattern: '^a', minLength: 3, allOf: [{ minLength: 2 }] },
      list: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 9 }, maxItems: 3 },
      last: { type: 'array', items: { type: 'integer' }, description: 'Last' },
      tag: { allOf: [{ $ref: '#/components/schemas/Tag' }, { type: 'string', pattern: 'z$' }] },
      three: { type: 'string', minLength: 1, maxLength: 3, enum: ['a', 'bc'] },
      decoded: expect.objectContaining({ type: 'string' }),
    })
    expect(schemas['Tag']).toEqual({ type: 'string', pattern: '^a' })
  })

  it('has a discriminator with named variants', () => {
    const Cat = z.object({ kind: z.literal('cat') })
    const Dog = z.object({ kind: z.literal(['dog', 'wolf']) })
    const { oneOf, discriminator } = answered(z.discriminatedUnion('kind', [Cat, Dog])) as {
      oneOf: { $ref: string }[]
      discriminator: unknown
    }
    expect(oneOf).toEqual([{ $ref: '#/components/schemas/R0ActResultCat' }, {
      $ref: '#/components/schemas/R0ActResultDog',
    }])
    expect(discriminator).toEqual({
      propertyName: 'kind',
      mapping: { cat: oneOf[0]?.$ref, dog: oneOf[1]?.$ref, wolf: oneOf[1]?.$ref },
    })
    expect(answered(z.discriminatedUnion('kind', [Cat.meta({ id: 'Cat' }), Dog.meta({ id: 'Dog' })]))).toEqual({
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
      discriminator: {
        propertyName: 'kind',
        mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog', wolf: '#/components/schemas/Dog' },
      },
    })
  })
})

describe('a type that JSON Schema cannot express', () => {
  it('is left open, and reported once with route and field', () => {
    const emitted = warnings()
    const Money = z.object({ cents: z.bigint(), many: z.array(z.object({ when: z.map(z.string(), z.int()) })) }).meta({
      id: 'Money',
    })
    const router = Router()
    mountResource(router, {
      route: '/a',
      name: 'a',
      handlers: {
        list: { output: z.array(z.string().transform((text) => text.length)), handler: () => [] },
        show: {
          input: z.object({ id: z.string(), check: z.custom<string>() }),
          output: Money,
          handler: () => ({ cents: 1n, many: [] }),
        },
      },
      custom: { find: { methods: ['QUERY'], route: '/find', handler: () => null } },
    })
    const document = openapi(router, { title: 'T', version: '1' })
    openapi(router, { title: 'T', version: '1' })
    expect(emitted).toEqual([
      expect.stringContaining('a.find (QUERY /a/find): the method QUERY has no place in it'),
      expect.stringContaining('a.list (GET /a): `[]` is a transform'),
      expect.stringContaining(
        'a.show (GET /a/:id): `check` is a custom; `Money.many[].when` is a map',
      ),
    ])
    expect(document.components.schemas.Money).toMatchObject({ properties: { cents: { type: 'string' }, many: {} } })
    expect(JSON.stringify(document)).not.toContain('x-unsayable')
  })

  it('can be described by the meta of its schema', () => {
    const emitted = warnings()
    expect(answered(z.string().transform((text) => text.length).meta({ type: 'integer' }))).toEqual({ type: 'integer' })
    expect(answered(z.custom<string>().meta({ type: 'string', format: 'uri' }))).toEqual({
      type: 'string',
      format: 'uri',
    })
    expect(emitted).toEqual([])
  })
})
