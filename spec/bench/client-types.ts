import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Measures the compiler on a client of 100 resources, from the declarations of their server: this package with `crud`
 * and `createClient`, and the same API on hono with `hc`. Needs `npm run build` and `npm ci --prefix spec/bench`.
 */

const RESOURCES = 100
const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

const head = `import { z } from 'zod'\n`
const schemas = (at: number): string => `
const Item${at} = z.object({ id: z.int(), name: z.string(), email: z.string(), age: z.int().nullable() })
const NewItem${at} = z.object({ name: z.string().min(2).max(50), email: z.email(), age: z.int().min(18).nullable() })
`

const ours = {
  server: `${head}import express from 'express'
import { mountResource } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
interface Row { id: number; name: string; email: string; age: number | null }
const app = express()
${
    repeated((at) =>
      `${schemas(at)}
export const items${at} = mountResource(app, { route: '/items${at}', name: 'items${at}', ...crud(memoryStore<Row>({ key: 'id' }), {
  input: NewItem${at}, output: Item${at}, search: ['name'], sort: ['name'], filters: { age: { range: z.int() } },
}) })
`
    )
  }
export interface Api { ${repeated((at) => `items${at}: typeof items${at};`)} }
`,
  client: `import { createClient } from 'resourcery/client'
import type { Api } from './out/server.js'
const api = createClient<Api>({ url: '', routes: [] })
${
    repeated((at) => `
export const calls${at} = async () => [
  await api.items${at}.show({ id: ${at} }),
  await api.items${at}.create({ name: 'Ann', email: 'ann@example.test', age: null }),
  await api.items${at}.list({ page: 1, search: 'a' }),
]
`)
  }`,
}

const hono = {
  server: `${head}import { Hono } from 'hono'
import { zValidator } from '@hono/zod-validator'
const text = z.string().optional()
const Query = z.object({ page: text, search: text, sort: text, age_gte: text })
const Id = z.object({ id: z.string() })
const app = new Hono()
${
    repeated((at) =>
      `${schemas(at)}
const items${at} = new Hono()
  .get('/', zValidator('query', Query), (c) => c.json([] as z.infer<typeof Item${at}>[]))
  .get('/:id', zValidator('param', Id), (c) => c.json({} as z.infer<typeof Item${at}>))
  .post('/', zValidator('json', NewItem${at}), (c) => c.json({} as z.infer<typeof Item${at}>, 201))
  .put('/:id', zValidator('param', Id), zValidator('json', NewItem${at}), (c) => c.json({} as z.infer<typeof Item${at}>))
  .patch('/:id', zValidator('param', Id), zValidator('json', NewItem${at}.partial()), (c) => c.json({} as z.infer<typeof Item${at}>))
  .delete('/:id', zValidator('param', Id), (c) => c.json(null))
  .delete('/', zValidator('query', z.object({ ids: z.string() })), (c) => c.json(null))
const app${at} = app${at === 0 ? '' : at - 1}.route('/items${at}', items${at})
`
    )
  }
export type Api = typeof app${RESOURCES - 1}
`,
  client: `import { hc } from 'hono/client'
import type { Api } from './out/server.js'
const api = hc<Api>('')
${
    repeated((at) => `
export const calls${at} = async () => [
  await (await api.items${at}[':id'].$get({ param: { id: '${at}' } })).json(),
  await (await api.items${at}.$post({ json: { name: 'Ann', email: 'ann@example.test', age: null } })).json(),
  await (await api.items${at}.$get({ query: { page: '1', search: 'a' } })).json(),
]
`)
  }`,
}

function repeated(sourceOf: (at: number) => string): string {
  return Array.from({ length: RESOURCES }, (_, at) => sourceOf(at)).join('')
}

/** Compiles one file, and returns the seconds of processor time and the instantiations of types. */
function compiled(folder: string, file: string,
  ...options: readonly string[]): [seconds: number, instantiations: number]
{
  const script = `process.on('exit', () => console.log('used ' + process.cpuUsage().user)); require(${
    JSON.stringify(tsc)
  })`
  const common = ['--target', 'es2023', '--module', 'nodenext', '--strict', '--skipLibCheck', '--types', 'node',
    '--ignoreConfig']
  const args = ['--eval', script, '--', 'tsc', file, ...common, '--extendedDiagnostics', ...options]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
  const numberIn = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1])
  return [numberIn(/^used (\d+)$/m) / 1e6, numberIn(/^Instantiations:\s+(\d+)$/m)]
}

const folder = mkdtempSync(join(tmpdir(), 'client-types-'))
try {
  const packages = join(folder, 'node_modules')
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, part), join(packages, 'resourcery', part), { recursive: true })
  mkdirSync(join(packages, '@types'))
  for (const name of ['hono', '@hono', 'zod', 'express', '@types/express', '@types/node']) {
    const home = name === '@types/node' ? join(root, 'node_modules') : join(root, 'spec/bench/node_modules')
    symlinkSync(join(home, name), join(packages, name))
  }
  for (const [name, { server, client }] of Object.entries({ ours, hono })) {
    const own = join(folder, name)
    mkdirSync(own)
    writeFileSync(join(own, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(own, 'server.ts'), server)
    writeFileSync(join(own, 'client.ts'), client)
    for (const [file, ...options] of [
      ['server.ts', '--declaration', '--emitDeclarationOnly', '--outDir', 'out'],
      ['client.ts', '--noEmit'],
    ] as const) {
      const [seconds, instantiations] = compiled(own, file, ...options)
      console.log(`${name} ${file}: ${seconds.toFixed(1)} s of processor time, ${instantiations} instantiations`)
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
