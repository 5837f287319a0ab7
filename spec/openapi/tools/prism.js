// Puts `prism proxy --errors` in front of a server: it fails requests and replies that are not as documented.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { folder } from './generate.js'

const program = fileURLToPath(new URL('node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url))

export async function startPrism(upstream) {
  const port = await freePort()
  const child = spawn(process.execPath, [
    program,
    'proxy',
    `${folder}openapi.json`,
    upstream,
    '--errors',
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
  ])
  await new Promise((resolve, reject) => {
    let output = ''
    const listen = (chunk) => {
      output += chunk
      if (output.includes('listening')) resolve()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => reject(new Error(`prism ended: ${output}`)))
  })
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
