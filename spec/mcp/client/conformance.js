/*
 * A program: the conformance suite of the Model Context Protocol against a server of tools, for each revision. What the
 * suite asks of servers with resources, prompts, tasks or requests to the client is left out by name; everything else
 * must pass.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import express from 'express'
import { BusinessError, errorHandler, mountRoutes, notFound, serve } from 'resourcery'
import { mcpRouter } from 'resourcery/mcp'
import { NODE_VERSIONS, nodeProgram } from '../../support/node-versions.js'

const REVISIONS = {
  '2025-06-18': ['--spec-version', '2025-06-18'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
}

/** Scenarios about features that this server does not have, nor says that it has. */
const OTHER_FEATURES = [
  /^(?:completion|elicitation|logging|prompts|resources|tasks)-/,
  /^tools-call-(?:audio|elicitation|embedded|image|mixed|sampling|with)/,
  /^input-required-result-(?!unsupported|validate)/,
  /^(?:sep-2164-resource|server-sse)-/,
  // Its tool has a schema that no zod schema has; parameters are never mirrored into headers.
  /^json-schema-2020-12$/,
  /^http-custom-header-server-validation$/,
]

/** Checks about such features in the other scenarios. */
const OTHER_CHECKS = [
  /^sep-2549-(?:prompts|resources)-/,
  /^sep-2575-(?:missing-capability-http-400|server-rejects-undeclared-capability)$/,
]

/** Tools that the suite calls by name. */
function tools() {
  const names = ['test_simple_text', 'test_logging_tool', 'test_streaming_elicitation']
  const routes = names.map((name, index) => [name, { tool: { name }, route: `/${index}`, handler: () => 'text' }])
  const fails = () => {
    throw new BusinessError('This tool intentionally returns an error for testing', 409)
  }
  return { ...Object.fromEntries(routes),
    error: { tool: { name: 'test_error_handling' }, route: '/error', handler: fails } }
}

async function start() {
  const app = express()
  // The suite sends the origin of the server itself too.
  const port = await freePort()
  const allowedOrigins = [`http://127.0.0.1:${port}`]
  app.use('/mcp', mcpRouter(app, { name: 'conformance', version: '1.0.0', allowedOrigins }))
  mountRoutes(app, { route: '/tools', name: 'tools', tool: true, routes: tools() })
  app.use(notFound(), errorHandler())
  return serve(app, { port, host: '127.0.0.1', signals: false })
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Runs the suite, which writes the checks of each scenario to a file, and returns those that count. */
async function checksOf(url, args, folder) {
  const suite = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
    'dist/index.js')
  // The suite needs Node.js 22.
  const node = nodeProgram(NODE_VERSIONS.at(-1), join(folder, 'node'))
  const results = join(folder, args.at(-1))
  const child = spawn(node, [suite, 'server', '--url', `${url}/mcp`, '--timeout', '5000', '-o', results, ...args], {
    stdio: 'ignore',
  })
  await once(child, 'exit')
  const files = (await readdir(results, { recursive: true })).filter((file) => file.endsWith('checks.json'))
  const found = await Promise.all(files.map(async (file) => {
    const [, scenario] = /server-(.+?)-\d{4}-\d\d-\d\dT/.exec(file) ?? [undefined, file]
    const checks = JSON.parse(await readFile(join(results, file), 'utf8'))
    return OTHER_FEATURES.some((one) => one.test(scenario)) ? [] : checks.map((check) => ({ ...check, scenario }))
  }))
  return found.flat().filter(({ id }) => !OTHER_CHECKS.some((one) => one.test(id)))
}

const folder = await mkdtemp(join(tmpdir(), 'resourcery-mcp-'))
const { url, close } = await start()
try {
  for (const [revision, args] of Object.entries(REVISIONS)) {
    const checks = await checksOf(url, args, folder)
    const passed = checks.filter(({ status }) => status === 'SUCCESS')
    const failed = checks.filter(({ status }) => ['FAILURE', 'WARNING'].includes(status))
    const scenarios = new Set(checks.map(({ scenario }) => scenario))
    for (const { scenario, id, errorMessage } of failed) console.error(`${revision} ${scenario} ${id}: ${errorMessage}`)
    if (failed.length > 0 || passed.length < 10) process.exitCode = 1
    console.log(
      `Revision ${revision}: ${passed.length} checks of ${scenarios.size} scenarios pass, ${failed.length} fail.`,
    )
  }
} finally {
  await close()
  await rm(folder, { recursive: true, force: true })
}
