import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Entry {
  readonly types: string
  readonly default: string
}

const root = new URL('..', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Record<string, Entry | string>
}
const entries = Object.entries(exports).filter((entry): entry is [string, Entry] => typeof entry[1] === 'object')

describe('the entries of the package', () => {
  it('export exactly these names', async () => {
    const names = await Promise.all(
      entries.map(async ([entry, { default: file }]) => [entry, await namesIn(file)] as const),
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

  it('have types before the code', () => {
    for (const [, entry] of entries) {
      expect(Object.keys(entry)).toEqual(['types', 'default'])
      expect(entry.types).toBe(entry.default.replace(/\.js$/, '.d.ts'))
    }
  })
})

async function namesIn(file: string): Promise<string[]> {
  const source = file.replace(/^\.\/dist\/(.*)\.js$/, 'lib/$1.ts')
  return Object.keys((await import(new URL(source, root).pathname)) as object).sort()
}
