// Generates a client with each generator, compiles them all under `strict`, and runs each against the blog.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
// Below node_modules, so that the packages are found and no tool of the repository looks at it.
export const folder = `${here}node_modules/.generated/`
const tsx = pathToFileURL(createRequire(new URL('../../../package.json', import.meta.url)).resolve('tsx')).href

export const CLIENTS = ['hey-api', 'kubb', 'openapi-fetch', 'orval', 'rtk-query', 'swagger-typescript-api']

/** What each client prints: statuses, a count, a type, titles, a reason and the fields of a validation error. */
const EXPECTED = [200, 5, 'number', 201, 'Generated', 'Changed', 404, 'not_found', 422, ['title']]

const execute = promisify(execFile)

export function run(command, ...args) {
  return execute(`${here}node_modules/.bin/${command}`, args, { cwd: folder })
}

/** Writes the documents of the blog into the folder. */
export async function writeDocuments(url) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}package.json`, '{ "type": "module" }')
  for (const name of ['openapi', 'openapi/admin', 'openapi/shop']) {
    writeFileSync(`${folder}${name.replace('openapi/', '')}.json`, await (await fetch(`${url}/${name}.json`)).text())
  }
}

export async function generate() {
  for (const client of CLIENTS) {
    mkdirSync(`${folder}${client}`)
    copyFileSync(`${here}clients/${client}.ts.txt`, `${folder}${client}/run.ts`)
  }
  writeFileSync(`${folder}kubb.config.js`, KUBB)
  writeFileSync(`${folder}rtk-query/empty.ts`, RTK)
  const rtk = {
    apiFile: './rtk-query/empty.ts',
    apiImport: 'empty',
    outputFile: './rtk-query/api.ts',
    exportName: 'blogApi',
    hooks: false,
  }
  writeFileSync(`${folder}rtk.json`, JSON.stringify({ schemaFile: './openapi.json', ...rtk }))
  await Promise.all([
    run('openapi-typescript', 'openapi.json', '-o', 'openapi-fetch/schema.ts'),
    run('orval', '-i', 'openapi.json', '-o', 'orval/blog.ts', '--client', 'fetch'),
    run('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api/client', '-c', '@hey-api/client-fetch'),
    run('swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'swagger-typescript-api', '-n', 'api.ts'),
    run('kubb', 'generate'),
    run('rtk-query-codegen-openapi', 'rtk.json'),
  ])
}

const KUBB = `import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({
  root: '.', input: { path: './openapi.json' }, output: { path: './kubb/gen', format: false },
  plugins: [pluginOas({ validate: false, generators: [] }), pluginTs(), pluginClient({ client: 'fetch', dataReturnType: 'full' })],
})
`

const RTK = `import { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query'
let token = ''
export const setToken = (value: string): void => void (token = value)
export const empty = createApi({
  baseQuery: fetchBaseQuery({ baseUrl: process.env.BLOG!, prepareHeaders: (headers) => void (token && headers.set('authorization', \`Bearer \${token}\`)) }),
  endpoints: () => ({}),
})
`

export async function compile() {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  writeFileSync(
    `${folder}tsconfig.json`,
    JSON.stringify({ compilerOptions, files: CLIENTS.map((client) => `${client}/run.ts`) }),
  )
  await run('tsc', '-p', '.')
}

export async function call(url) {
  await Promise.all(CLIENTS.map(async (client) => {
    const { stdout } = await execute(process.execPath, ['--import', tsx, `${folder}${client}/run.ts`], {
      env: { ...process.env, BLOG: url },
    })
    if (stdout.trim() !== JSON.stringify(EXPECTED)) {
      throw new Error(`The client of ${client} printed ${stdout} instead of ${JSON.stringify(EXPECTED)}`)
    }
  }))
}
