// Tries the documents of the blog with the tools of others: see README.md. Exits with 1 after the first tool that fails.
import { validate } from '@readme/openapi-parser'
import { writeFileSync } from 'node:fs'
import { startBlog } from './blog.js'
import { call, compile, folder, generate, run, writeDocuments } from './generate.js'
import { postman } from './postman.js'
import { startPrism } from './prism.js'

async function step(name, act) {
  const started = performance.now()
  try {
    await act()
  } catch (error) {
    console.error(
      `FAILED: ${name}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.stdout === undefined ? error.stack : ''}`,
    )
    throw error
  }
  console.log(`ok, ${((performance.now() - started) / 1000).toFixed(1)} s: ${name}`)
}

const isShort = process.argv.includes('--short')

const FILES = ['openapi.json', 'admin.json', 'shop.json']

/** Documents may have no servers: then they describe the host that serves them. */
async function lint() {
  writeFileSync(`${folder}.spectral.yaml`, 'extends: ["spectral:oas"]\nrules:\n  oas3-api-servers: off\n')
  await Promise.all([
    run(
      'redocly',
      'lint',
      ...FILES,
      '--extends',
      'recommended',
      '--skip-rule',
      'no-empty-servers',
      '--max-problems',
      '0',
    ),
    run('spectral', 'lint', ...FILES, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn'),
  ])
  for (const file of FILES) {
    const { valid, errors } = await validate(`${folder}${file}`)
    if (!valid) throw new Error(`${file}: ${JSON.stringify(errors)}`)
  }
}

async function withBlog(program, act) {
  const blog = await startBlog(program)
  try {
    await act(blog.url)
  } finally {
    await blog.stop()
  }
}

async function throughPrism(url) {
  const { url: proxy, stop } = await startPrism(url)
  try {
    // The proxy reads a form as a string, which breaks its files.
    await postman(proxy, { origin: url, files: false })
  } finally {
    stop()
  }
}

try {
  await withBlog(undefined, async (url) => {
    await step('documents', () => writeDocuments(url))
    await step('redocly, spectral, @readme/openapi-parser', lint)
    // `.ci/run` leaves what follows to `.ci/nightly`.
    if (isShort) return
    await step('generate: hey-api, kubb, openapi-typescript, orval, RTK Query, swagger-typescript-api', generate)
    await step('compile the clients', compile)
    await step('run the clients', () => call(url))
  })
  await withBlog(undefined, (url) => step('Postman collection', () => postman(url)))
  if (!isShort) {
    await withBlog(undefined, (url) => step('the same through prism proxy --errors', () => throughPrism(url)))
    await withBlog(
      'spec/openapi/tools/validated-blog.js',
      (url) => step('the same behind express-openapi-validator', () => postman(url)),
    )
  }
} catch {
  process.exitCode = 1
}
