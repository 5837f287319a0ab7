// Tries the documents of a running blog with the tools of others: `node prove.js http://127.0.0.1:3000`, in a copy of this folder
// in which `npm install --ignore-scripts` has run. Ends with 1 at the first tool that objects.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { validate } from '@readme/openapi-parser'

const blog = process.argv[2] ?? 'http://127.0.0.1:3000'
const tsx = createRequire(import.meta.url).resolve(process.env.TSX ?? 'tsx')
const run = (command, ...args) => execFileSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' })
const runNode = (...args) => execFileSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, BLOG: blog } })

const DOCUMENTS = { 'all.json': 'openapi.json', 'admin.json': 'openapi/admin.json', 'shop.json': 'openapi/shop.json' }
for (const [file, path] of Object.entries(DOCUMENTS)) writeFileSync(file, await (await fetch(`${blog}/${path}`)).text())
const files = Object.keys(DOCUMENTS)

run('redocly', 'lint', ...files, '--extends', 'recommended', '--max-problems', '0')
writeFileSync('.spectral.yaml', 'extends: ["spectral:oas"]\n')
run('spectral', 'lint', ...files, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn')
for (const file of files) {
  const { valid, errors } = await validate(`./${file}`)
  if (!valid) throw new Error(`${file}: ${JSON.stringify(errors)}`)
}

for (const folder of ['openapi-fetch', 'orval', 'hey-api']) {
  mkdirSync(`generated/${folder}`, { recursive: true })
  cpSync(`clients/${folder}.ts.txt`, `generated/${folder}/run.ts`)
}
run('openapi-typescript', 'all.json', '-o', 'generated/openapi-fetch/schema.ts')
run('orval', '-i', 'all.json', '-o', 'generated/orval/blog.ts', '--client', 'fetch')
run('openapi-ts', '-i', 'all.json', '-o', 'generated/hey-api/client', '-c', '@hey-api/client-fetch')
const compilerOptions = { target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true, types: ['node'] }
writeFileSync('generated/tsconfig.json', JSON.stringify({ compilerOptions, include: ['.'] }))
run('tsc', '-p', 'generated')
for (const folder of ['openapi-fetch', 'orval', 'hey-api']) runNode('--import', tsx, `generated/${folder}/run.ts`)

runNode('page.js', blog)
