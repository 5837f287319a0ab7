import { parseArgs } from 'node:util'
import type { Application } from 'express'
import { listing, MisuseError, permissionsOf, routeManifest, type MountedRoute } from '../../core/index.js'
import { doctor } from '../doctor.js'
import { untestedIn } from '../versions.js'
import { accessCommand } from './access-command.js'
import { addCommand } from './add-command.js'
import { checkCommand } from './check-command.js'
import { openapiCommand, type Answer } from './openapi-command.js'
import { CliError, loadRoutes, wordsOf as messageOf, type ImportModule } from './load-routes.js'
import { watchPools } from './pools.js'
import { permissionsTree, routeRows, routesTable } from './routes-table.js'

export { forbidListening } from './load-routes.js'

const USAGE = `resourcery routes <module>        every route: method, path, name, permission, sign-in
resourcery permissions <module>   the permissions, as a tree
resourcery openapi <module>       the OpenAPI document
resourcery access <module>        who may call which route, by the guards; exits with 1 if guards fail
resourcery check <module>         sends requests of all kinds to every route; exits with 1 if there are findings
resourcery doctor <module>        what to mend before the app is served; exits with 1 if there are findings
resourcery add <table or model>   writes a resource and its test for an existing table or model

  <module>       exports an Express app, a Router, or a function that makes one, and does not listen
  --export NAME  the export to use; by default the first of default, app, router, makeApp, createApp …
  --json         prints JSON
  --manifest     routes: for createClient of resourcery/client, names, methods and paths alone
  --fast         routes: whether the fast path serves each route, or why only Express does
  --app NAME     permissions, routes --manifest: of one application
  --doc DOMAIN   openapi: of one documentation domain
  --title TEXT, --version TEXT, --server URL
                 openapi: the title (API), the version (0.0.0), the address of the API (may be repeated)
  --callers FILE access, check: JSON with the claims of each caller by name, null for one without credentials
  --tenants A --tenants B
                 check: callers who may not learn of each other's rows
  --secrets TEXT, --skip ROUTE, --only ROUTE
                 check: a string that no reply may contain; routes by name or as 'GET /path' (may be repeated)
  --budget SECONDS, --timeout SECONDS, --seed NUMBER
                 check: of all requests (30), of one reply (5), of random values (1)
  --from FILE    add: the module that exports the connection; by default those of the project are searched
  --export NAME, --route PATH, --app NAME
                 add: the connection; the path (the name of the table); the application that the resource is in
  --folder NAME, --tests vitest|jest|node
                 add: the folder of the resource (that of the connection); the test runner (that of package.json)
  --dry-run      add: prints the files as a diff, and writes nothing
  --out FILE     openapi, access: writes the output to a file
  --check        openapi, access: compares with --out; exits with 1 and prints the differences if the file is stale
  --help, -h     prints this text
  --version      alone: prints the version of the package

Exit codes: 0 fine, 1 a finding, or nothing was written (add), 2 used wrongly, or a module that cannot be loaded
A TypeScript module is loaded by tsx if it is installed: npm install --save-dev tsx`

const OPTIONS = {
  export: { type: 'string' },
  json: { type: 'boolean' },
  manifest: { type: 'boolean' },
  fast: { type: 'boolean' },
  app: { type: 'string' },
  doc: { type: 'string' },
  title: { type: 'string' },
  version: { type: 'string' },
  server: { type: 'string', multiple: true },
  callers: { type: 'string' },
  tenants: { type: 'string', multiple: true },
  secrets: { type: 'string', multiple: true },
  skip: { type: 'string', multiple: true },
  only: { type: 'string', multiple: true },
  budget: { type: 'string' },
  timeout: { type: 'string' },
  seed: { type: 'string' },
  from: { type: 'string' },
  route: { type: 'string' },
  folder: { type: 'string' },
  tests: { type: 'string' },
  'dry-run': { type: 'boolean' },
  out: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Runs a command and prints its result. Returns the exit status: 0, 1 (a finding) or 2 (a mistake). */
export async function run(
  argv: readonly string[],
  print: (text: string) => void,
  complain: (text: string) => void,
  importModule: ImportModule,
): Promise<0 | 1 | 2> {
  try {
    const { values, positionals } = parse(argv)
    if (values.help === true || positionals.length === 0) {
      print(USAGE)
      return 0
    }
    const { text, json, status } = await answer(positionals, values, importModule)
    print(values.json === true ? JSON.stringify(json, null, 2) : text)
    return status
  } catch (error) {
    complain(wordsOf(error))
    return 2
  }
}

/** Returns the text of an error: a mistake of the user needs no stack, any other error has one. */
function wordsOf(error: unknown): string {
  if (error instanceof CliError || error instanceof MisuseError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

type Values = ReturnType<typeof parse>['values']

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new CliError(`${messageOf(error)}\n\n${USAGE}`, { cause: error })
  }
}

/** The options of each command, besides `--help`. */
const OPTIONS_OF = new Map<string, readonly (keyof Values)[]>([
  ['routes', ['export', 'json', 'manifest', 'fast', 'app']],
  ['permissions', ['export', 'json', 'app']],
  ['openapi', ['export', 'json', 'doc', 'title', 'version', 'server', 'out', 'check']],
  ['access', ['export', 'json', 'callers', 'out', 'check']],
  ['check', ['export', 'json', 'callers', 'tenants', 'secrets', 'skip', 'only', 'budget', 'timeout', 'seed']],
  ['doctor', ['export', 'json']],
  ['add', ['export', 'json', 'from', 'route', 'app', 'folder', 'tests', 'dry-run']],
])

/** @throws CliError for an option of another command, which would have no effect */
function checkOptions(command: string, values: Values): void {
  const allowed: readonly string[] | undefined = OPTIONS_OF.get(command)
  const unknown = Object.keys(values).find((name) => allowed?.includes(name) === false)
  if (unknown !== undefined) throw new CliError(`\`resourcery ${command}\` has no option --${unknown}.\n\n${USAGE}`)
  if (values.check === true && values.out === undefined) {
    throw new CliError('--check was used without a file to compare with. Name the file with --out.')
  }
  const { manifest = false, app, fast } = values
  if (command === 'routes' && app !== undefined && !manifest) {
    throw new CliError(`\`resourcery routes\` takes --app with --manifest alone.\n\n${USAGE}`)
  }
  if (manifest && fast === true) {
    throw new CliError(`A manifest has no column of the fast path: leave out --fast.\n\n${USAGE}`)
  }
}

type Command = (routes: Application, values: Values, pools: readonly string[]) => Answer | Promise<Answer>

const COMMANDS = new Map<string | undefined, Command>([
  ['routes', (routes, { manifest = false, fast = false, app }) => {
    if (manifest) {
      const json = routeManifest(routes, { app })
      return { text: JSON.stringify(json, null, 2), json, status: 0 }
    }
    const rows = routeRows(routes, fast)
    return { text: routesTable(rows), json: rows, status: 0 }
  }],
  ['permissions', (routes, { app }) => {
    checkNamed('the application', app, routes, (route) => [route.app, ...route.guardedBy])
    const groups = permissionsOf(routes, app)
    return { text: permissionsTree(groups), json: groups, status: 0 }
  }],
  ['openapi', (routes, { title = 'API', version = '0.0.0', doc, server: servers, out, check = false }) => {
    checkNamed('the documentation domain', doc, routes, (route) => [route.doc].flat())
    return openapiCommand(routes, { title, version, doc, servers, out, check })
  }],
  ['access', accessCommand],
  ['doctor', doctorCommand],
  ['check', checkCommand],
])

/** Prints what a careful operator wants to know of an app before it is served. */
async function doctorCommand(routes: Application, _values: Values, pools: readonly string[]): Promise<Answer> {
  const untested = untestedIn(process.cwd())
  const { findings, notes } = await doctor(routes, { pools, untested })
  const lines = [
    ...findings.map(({ code, message, page }) => `${code}: ${message}\n  ${page}`),
    ...notes.map((note) => `note: ${note}`),
    findings.length === 0 ? 'No findings.' : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}.`,
  ]
  return { text: lines.join('\n'), json: { findings, notes }, status: findings.length > 0 ? 1 : 0 }
}

/** @throws CliError for a name that no route has: the output would be empty. */
function checkNamed(
  what: string,
  name: string | undefined,
  routes: object,
  namesOf: (route: MountedRoute) => readonly unknown[],
): void {
  if (name === undefined) return
  const all = new Set(listing(routes).flatMap(({ entries }) => entries.flatMap(namesOf)))
  if (all.has(name)) return
  const names = [...all].filter((each) => typeof each === 'string')
  const choice = names.length === 0 ? 'no route has one' : `there are ${names.join(', ')}`
  throw new CliError(`No route belongs to ${what} \`${name}\`: ${choice}.`)
}

async function answer(
  [name, module, ...more]: readonly string[],
  values: Values,
  importModule: ImportModule,
): Promise<Answer> {
  checkOptions(String(name), values)
  if (name === 'add' && more.length === 0) return addCommand(module, values, importModule)
  if (name === 'add') throw new CliError(`\`resourcery add\` takes one table or model.\n\n${USAGE}`)
  const command = COMMANDS.get(name)
  if (command === undefined) throw new CliError(`There is no command \`${String(name)}\`.\n\n${USAGE}`)
  if (module === undefined || more.length > 0) {
    throw new CliError(`\`resourcery ${String(name)}\` takes one module.\n\n${USAGE}`)
  }
  const unguarded = name === 'doctor' ? watchPools(process.cwd()) : () => []
  return command(await loadRoutes(module, importModule, values.export), values, unguarded())
}
