import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The types of one public function's options, and where the reference describes them. */
export interface Described {
  /** The interfaces or types, by their names in `lib`; `crud/:Name` is one in that folder. */
  readonly types: readonly string[]
  readonly page: string
  /** What the anchors begin with: `tree` for `tree-depth`. Without it each option has a heading of its own. */
  readonly prefix?: string
  /** Properties that are no options. */
  readonly except?: readonly string[]
}

const CRUD = 'docs/crud.md'

/** All options of public functions. */
export const DESCRIBED: readonly Described[] = [
  {
    page: CRUD,
    types: ['CrudOptions', 'ActionOptions', 'BulkOption', 'ExportOption', 'ImportOption', 'SoftDeleteOption',
      'ParentOption', 'MembersOption', 'ChildrenOption'],
  },
  { page: CRUD, prefix: 'members', types: ['AnyMember'] },
  { page: CRUD, prefix: 'custom', types: ['CustomLoad'] },
  { page: CRUD, prefix: 'export', types: ['ExportOptions'] },
  { page: CRUD, prefix: 'import', types: ['ImportOptions'] },
  { page: CRUD, prefix: 'idempotency', types: ['IdempotencyOptions'] },
  { page: CRUD, prefix: 'conflicts', types: ['crud/:ConflictOptions'] },
  { page: CRUD, prefix: 'softdelete', types: ['SoftDeleteOptions'] },
  { page: CRUD, prefix: 'parent', types: ['ParentOptions'] },
  { page: CRUD, prefix: 'children', types: ['ChildrenOptions'] },
  { page: CRUD, prefix: 'links', types: ['LinkOptions'] },
  { page: CRUD, prefix: 'tree', types: ['TreeOptions'] },
  { page: CRUD, prefix: 'dialect', types: ['Dialect'] },
  { page: 'docs/reference/auth.md', types: ['SecretOptions', 'JwksOptions', 'VerifyOptions', 'DescribeOptions'] },
  { page: 'docs/reference/auth.md', prefix: 'renew', types: ['RenewOptions'] },
  { page: 'docs/reference/auth.md', prefix: 'load', types: ['FreshLoad', 'RememberedLoad', 'KeyedLoad'] },
  { page: 'docs/reference/auth.md', prefix: 'issuetoken', types: ['IssueTokenOptions'] },
  { page: 'docs/reference/permission.md', types: ['PermissionOptions'] },
  { page: 'docs/reference/mount-resource.md', types: ['core/:Declaration'], except: ['extension'] },
  {
    page: 'docs/reference/mount-resource.md',
    prefix: 'action',
    types: ['ActionTraits', 'core/:LooseCustom'],
    // Those that the resource has too.
    except: ['extension', 'auth', 'can', 'use', 'body', 'summary', 'description', 'tags', 'doc', 'deprecated', 'meta',
      'examples'],
  },
  { page: 'docs/reference/serve.md', types: ['ServeOptions'] },
  { page: 'docs/reference/error-handler.md', types: ['ErrorHandlerOptions'] },
  { page: 'docs/reference/upload.md', types: ['UploadOptions'] },
  { page: 'docs/reference/upload.md', prefix: 'files', types: ['FileRule'] },
  { page: 'docs/reference/openapi.md', types: ['OpenApiOptions', 'OpenApiRouterOptions'] },
  { page: 'docs/stores/kysely.md', prefix: 'store', types: ['KyselyStoreOptions'] },
  { page: 'docs/stores/kysely.md', prefix: 'source', types: ['KyselyOptions'] },
  { page: 'docs/stores/drizzle.md', prefix: 'store', types: ['DrizzleStoreOptions'] },
  { page: 'docs/stores/drizzle.md', prefix: 'source', types: ['DrizzleOptions'] },
  { page: 'docs/stores/knex.md', prefix: 'store', types: ['KnexStoreOptions'] },
  { page: 'docs/stores/knex.md', prefix: 'source', types: ['KnexOptions'] },
  { page: 'docs/stores/prisma.md', prefix: 'store', types: ['PrismaStoreOptions'] },
  { page: 'docs/stores/prisma.md', prefix: 'source', types: ['PrismaOptions'] },
  { page: 'docs/stores/typeorm.md', prefix: 'store', types: ['TypeormStoreOptions'] },
  { page: 'docs/stores/sequelize.md', prefix: 'store', types: ['SequelizeStoreOptions'] },
  { page: 'docs/stores/sequelize.md', prefix: 'source', types: ['SequelizeOptions'] },
  { page: 'docs/stores/mongoose.md', prefix: 'store', types: ['MongooseStoreOptions'] },
  { page: 'docs/stores/mongoose.md', prefix: 'source', types: ['MongooseOptions'] },
  { page: 'docs/stores/memory.md', prefix: 'store', types: ['MemoryOptions'] },
]

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
  config: unknown
}
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const files = fileNames.filter((name) => name.startsWith(join(root, 'lib/')))
const program = ts.createProgram(files, options)
const checker = program.getTypeChecker()

const declared = new Map<string, (ts.InterfaceDeclaration | ts.TypeAliasDeclaration)[]>()
for (const file of program.getSourceFiles()) {
  if (!file.fileName.startsWith(join(root, 'lib/'))) continue
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) continue
    declared.set(statement.name.text, [...declared.get(statement.name.text) ?? [], statement])
  }
}

/** Returns the names of the options of a type of `lib`, those of all members of a union. */
export function optionsOf(name: string): string[] {
  const [type = '', folder = ''] = name.split(':').reverse()
  const found = (declared.get(type) ?? []).filter((one) => one.getSourceFile().fileName.includes(`/${folder}`))
  if (found.length === 0) throw new Error(`lib declares no type ${name}.`)
  return found.flatMap((statement) => {
    const symbol = checker.getSymbolAtLocation(statement.name)
    if (symbol === undefined) return []
    return namesIn(checker.getDeclaredTypeOfSymbol(symbol))
  })
}

function namesIn(type: ts.Type): string[] {
  if (type.isUnion()) return type.types.flatMap(namesIn)
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return []
  return checker.getPropertiesOfType(type).map((property) => property.name)
}

/** Returns the names of all interfaces of `lib` that are options by their names. */
export function optionTypes(): string[] {
  return [...declared.keys()].filter((name) => name.endsWith('Options'))
}
