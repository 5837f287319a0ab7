// Starts the sample blog of this repository, or another program, with fresh seeds and on a free port.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export async function startBlog(program = 'samples/blog/main.ts') {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise((resolve, reject) => {
    let output = ''
    child.once('exit', () => reject(new Error(`The blog did not start:\n${output}`)))
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const [, found] = /listening on (\S+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.kill('SIGTERM')
      }),
  }
}

/** Returns a token of an application. */
export async function signIn(url, app, email = 'admin@example.test') {
  const body = JSON.stringify({ email, password: 'correct horse battery staple' })
  const response = await fetch(`${url}/${app}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return (await response.json()).data.token
}
