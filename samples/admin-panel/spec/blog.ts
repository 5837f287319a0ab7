import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const PASSWORD = 'correct horse battery staple'

/** The sample blog with a built panel, as `npm start` runs it. */
export interface Blog {
  readonly url: string
  /** The address of the panel. */
  readonly panel: string
  /** Sends a request as the admin, who is another client than the browser, and returns `data`. */
  send<Data>(method: string, path: string, body?: object): Promise<Data>
  stop(): Promise<void>
}

export async function startBlog(panelDir = 'samples/admin-panel/dist'): Promise<Blog> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'samples/blog/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: '0', PANEL_DIR: panelDir },
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  const panel = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(`The blog did not start: ${output}`)))
    child.stderr.on('data', (chunk: Buffer) => output += chunk.toString())
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const address = /^The admin panel is at (\S+)$/m.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
  const url = new URL(panel).origin
  const { token } = await request<{ token: string }>('POST', `${url}/admin/login`, {
    email: 'admin@example.test',
    password: PASSWORD,
  })
  return {
    url,
    panel,
    send: (method, path, body) => request(method, `${url}/admin${path}`, body, token),
    stop: () => {
      child.kill()
      return ended
    },
  }
}

async function request<Data>(method: string, url: string, body?: object, token?: string): Promise<Data> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return (await response.json() as { data: Data }).data
}
