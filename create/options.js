import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'

/** A mistake of the user (2), or a reason why nothing can be written (1). */
export class CommandError extends Error {
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

/** The choices that have a question; the first value of each is the default. */
const CHOICES = {
  language: { values: ['ts', 'js'], question: 'Language' },
  database: { values: ['memory', 'pglite', 'postgres'], question: 'Database (pglite is PostgreSQL in the process)' },
  library: { values: ['kysely', 'drizzle', 'prisma'], question: 'Library for the database' },
  tests: { values: ['vitest', 'node'], question: 'Test runner' },
}
const SWITCHES = {
  auth: { value: true, question: 'Sign-in and permissions' },
  docs: { value: true, question: 'OpenAPI document and page' },
  docker: { value: false, question: 'Dockerfile' },
}

/** Other words for a value, as people type them. */
const SYNONYMS = {
  typescript: 'ts',
  javascript: 'js',
  embedded: 'pglite',
  postgresql: 'postgres',
  pg: 'postgres',
  'node:test': 'node',
  'node-test': 'node',
}

export const HELP = `npm create resourcery [folder] -- [flags]

Writes an Express API with one resource, its tests, lint and README into an empty folder. It asks for what no flag
says, on a terminal only; without one, and with --yes, the first value is taken. It uses no network.

  --language ts|js                     TypeScript or JavaScript (ES modules); also --template
  --database memory|pglite|postgres    rows in memory, PostgreSQL in the process (PGlite), a PostgreSQL server
  --library kysely|drizzle|prisma      how the program talks to the database; not with memory
  --tests vitest|node                  vitest or node:test
  --auth, --no-auth                    sign-in, tokens and permissions (yes)
  --docs, --no-docs                    OpenAPI document and page (yes)
  --docker, --no-docker                Dockerfile (no)
  --resourcery SPEC                    the version or file of resourcery in package.json
  --install                            runs \`npm install\`, which uses the network
  --yes                                asks nothing
  --help                               prints this text

Exit codes: 0 fine, 1 nothing was written or \`npm install\` failed, 2 used wrongly
`

/** Returns the options that the flags say, checked; those that they do not say are \`undefined\`. */
export function readOptions(argv) {
  const { values, positionals } = parse(argv)
  if (positionals.length > 1) throw new CommandError(`Name one folder.\n\n${HELP}`, 2)
  const { template, ...rest } = values
  if (positionals[0] === '' || values.resourcery === '') throw usage('The folder and --resourcery must not be empty.')
  if (template !== undefined && rest.language !== undefined) throw usage('--template is another word for --language.')
  const options = { ...rest, language: rest.language ?? template, folder: positionals[0] }
  for (const name of Object.keys(CHOICES)) {
    if (options[name] !== undefined) options[name] = valueOf(name, options[name])
  }
  if (options.database === 'memory' && options.library !== undefined) {
    throw usage('--library needs a database: use --database pglite or --database postgres.')
  }
  return options
}

function parse(argv) {
  const options = {
    template: { type: 'string' },
    ...Object.fromEntries(Object.keys(CHOICES).map((name) => [name, { type: 'string' }])),
    ...Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, { type: 'boolean' }])),
    resourcery: { type: 'string' },
    install: { type: 'boolean' },
    yes: { type: 'boolean', short: 'y' },
    help: { type: 'boolean', short: 'h' },
  }
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, allowNegative: true })
  } catch (error) {
    throw usage(error.message)
  }
}

function usage(message) {
  return new CommandError(`${message}\n\n${HELP}`, 2)
}

function valueOf(name, given) {
  const value = SYNONYMS[given.toLowerCase()] ?? given.toLowerCase()
  const { values } = CHOICES[name]
  if (!values.includes(value)) throw usage(`--${name} is one of ${values.join(', ')}, not \`${given}\`.`)
  return value
}

/** Asks for what is not said, on a terminal, and fills in the defaults. */
export async function ask(given) {
  // A library is of use with a database only.
  const start = given.database === undefined && given.library !== undefined ? { ...given, database: 'pglite' } : given
  const isAsking = process.stdin.isTTY && process.stdout.isTTY && !given.yes
  const questions = isAsking ? createInterface({ input: process.stdin, output: process.stdout }) : undefined
  const options = { ...start }
  try {
    options.folder ??= await answer(questions, 'Folder', 'api')
    for (const [name, { values, question }] of Object.entries(CHOICES)) {
      if (name === 'library' && options.database === 'memory') continue
      options[name] ??= await choose(questions, `${question}: ${values.join(', ')}`, values[0], name)
    }
    for (const [name, { value, question }] of Object.entries(SWITCHES)) {
      options[name] ??= /^y/i.test(await answer(questions, `${question}, yes or no`, value ? 'yes' : 'no'))
    }
  } finally {
    questions?.close()
  }
  return options
}

async function answer(questions, question, preset) {
  return (await questions?.question(`${question} (${preset}) `))?.trim() || preset
}

async function choose(questions, question, preset, name) {
  for (;;) {
    try {
      return valueOf(name, await answer(questions, question, preset))
    } catch (error) {
      if (!(error instanceof CommandError) || questions === undefined) throw error
      process.stdout.write(`${error.message.split('\n')[0]}\n`)
    }
  }
}
