import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Target {
  readonly types: string
  readonly default: string
}

interface Entry {
  readonly import: Target
  readonly require: Target
}

const root = new URL('..', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Record<string, Entry | string>
  readonly typesVersions: unknown
  readonly sideEffects: unknown
}
const entries = Object.entries(manifest.exports).filter((entry): entry is [string, Entry] =>
  typeof entry[1] === 'object'
)

describe('the entries of the package', () => {
  it('export exactly these names', async () => {
    const names = await Promise.all(
      entries.map(async ([entry, { import: { default: file } }]) => [entry, await namesIn(file)] as const),
    )
    expect(Object.fromEntries(names)).toMatchInlineSnapshot(`
      {
        ".": [
          "BusinessError",
          "ConflictError",
          "ForbiddenError",
          "HttpError",
          "MisuseError",
          "NotFoundError",
          "RequestParam",
          "UnauthorizedError",
          "UnavailableError",
          "ValidationError",
          "auth",
          "authOf",
          "envelope",
          "errorHandler",
          "findOrFail",
          "formatData",
          "fromHandler",
          "isGranted",
          "issueToken",
          "localDisk",
          "mountController",
          "mountResource",
          "mountRoutes",
          "notFound",
          "paginate",
          "param",
          "permission",
          "permissionsOf",
          "problem",
          "ready",
          "reply",
          "resource",
          "routeManifest",
          "routeOf",
          "routesOf",
          "send",
          "serve",
          "toPage",
          "upload",
          "validate",
        ],
        "./client": [
          "ApiError",
          "createClient",
        ],
        "./crud": [
          "CheckViolation",
          "ColumnViolation",
          "ForeignKeyViolation",
          "NotNullViolation",
          "UniqueViolation",
          "crud",
          "filter",
          "idempotent",
          "memoryStore",
          "raw",
        ],
        "./csv": [
          "sendCsv",
        ],
        "./drizzle": [
          "drizzleStore",
          "fromDrizzle",
        ],
        "./dux": [
          "dux",
        ],
        "./knex": [
          "fromKnex",
          "knexStore",
        ],
        "./kysely": [
          "fromKysely",
          "kyselyStore",
        ],
        "./mcp": [
          "mcpRouter",
        ],
        "./messages/de": [
          "de",
        ],
        "./messages/es": [
          "es",
        ],
        "./messages/fr": [
          "fr",
        ],
        "./messages/it": [
          "it",
        ],
        "./messages/ja": [
          "ja",
        ],
        "./messages/nl": [
          "nl",
        ],
        "./messages/pl": [
          "pl",
        ],
        "./messages/pt": [
          "pt",
        ],
        "./messages/tr": [
          "tr",
        ],
        "./messages/zh": [
          "zh",
        ],
        "./mongoose": [
          "fromMongoose",
          "mongooseStore",
        ],
        "./openapi": [
          "openapi",
          "openapiRouter",
        ],
        "./prisma": [
          "fromPrisma",
          "prismaStore",
        ],
        "./react-admin": [
          "HttpError",
          "authProvider",
          "dataProvider",
        ],
        "./refine": [
          "HttpError",
          "authProvider",
          "dataProvider",
        ],
        "./sequelize": [
          "fromSequelize",
          "sequelizeStore",
        ],
        "./testing": [
          "accessMatrix",
          "checkApi",
          "checkCases",
          "inject",
          "storeCases",
        ],
        "./typeorm": [
          "fromTypeorm",
          "typeormStore",
        ],
      }
    `)
  })

  it('have code and types for `import` and for `require`, the types first', () => {
    for (const [subpath, entry] of entries) {
      const file = `./dist/entries/${subpath === '.' ? 'index' : subpath.slice(2)}`
      expect(JSON.stringify(entry)).toBe(JSON.stringify({
        import: { types: `${file}.d.ts`, default: `${file}.js` },
        require: { types: `${file}.d.cts`, default: `${file}.cjs` },
      }))
    }
  })

  it('have types for resolvers that read no `exports`', () => {
    const { '.': main, ...others } = Object.fromEntries(entries)
    expect(manifest).toMatchObject({ main: main?.require.default, types: main?.require.types })
    expect(manifest.typesVersions).toEqual({
      '*': Object.fromEntries(Object.entries(others).map(([name, entry]) => [name.slice(2), [entry.require.types]])),
    })
  })

  it('are kept by bundlers where they have side effects: all but those for browsers choose the copy of zod', () => {
    const browser = ['./client', './react-admin', './refine']
    const files = entries.filter(([name]) => !browser.includes(name)).map(([, entry]) => entry.import.default)
    expect(manifest.sideEffects).toEqual(['./dist/shared/zod.js', ...files])
  })
})

async function namesIn(file: string): Promise<string[]> {
  const source = file.replace(/^\.\/dist\/(.*)\.js$/, 'lib/$1.ts')
  return Object.keys((await import(new URL(source, root).pathname)) as object).sort()
}
