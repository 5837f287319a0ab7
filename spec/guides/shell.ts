import { setTimeout } from 'node:timers/promises'

/** What a `curl` line has printed. */
export interface Reply {
  readonly head: string
  readonly headers: Headers
  readonly text: string
}

/** The variables and cookies of the reader's shell. */
export class Shell {
  readonly #variables = new Map<string, string>()
  readonly #jars = new Map<string, Map<string, string>>()

  set(name: string, value: string): void {
    this.#variables.set(name, value)
  }

  /** Sends the request of a `curl` line to `base` in place of `localhost:3000`. */
  async curl(line: string, base: string): Promise<Reply> {
    const request = this.#read(line)
    const jar = this.#jars.get(request.cookiesFrom ?? '')
    if (jar !== undefined) {
      request.headers.set('Cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const response = await fetch(request.target.replace(/^(?:http:\/\/)?localhost:3000/, base), {
      method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
      headers: request.headers,
      redirect: 'manual',
      ...(request.body !== undefined && { body: request.body }),
    })
    if (request.cookiesTo !== undefined) this.#keep(request.cookiesTo, response.headers.getSetCookie())
    const text = request.endless ? await beginning(response) : await response.text()
    return { head: `HTTP/1.1 ${response.status} ${response.statusText}`, headers: response.headers, text }
  }

  #keep(file: string, cookies: readonly string[]): void {
    const jar = this.#jars.get(file) ?? new Map<string, string>()
    this.#jars.set(file, jar)
    for (const cookie of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /max-age=0\b/i.test(cookie)) jar.delete(name)
      else jar.set(name, value)
    }
  }

  #read(line: string): Request {
    const words = wordsOf(line.replace(/\$(\w+)/g, (_, name: string) => this.#value(name)))
    const request: Request = { target: '', headers: new Headers(), endless: false }
    const form = new FormData()
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      const next = (): string => words.shift() ?? ''
      if (word === '-X') request.method = next()
      else if (word === '-H') request.headers.append(...headerOf(next()))
      else if (word === '-b') request.cookiesFrom = next()
      else if (word === '-c') request.cookiesTo = next()
      else if (word === '-F') addPart(request.body = form, next())
      else if (word === '-N') request.endless = true
      else if (word === '--json') setBody(request, next(), 'application/json')
      else if (word === '-d') setBody(request, next(), 'application/x-www-form-urlencoded')
      else if (/^(?:http:\/\/)?localhost:3000/.test(word)) request.target = word
      else if (!['curl', '-i', '-s', '-sN'].includes(word))
        throw new Error(`Guides cannot use ${word} with curl: ${line}`)
      if (word === '-sN') request.endless = true
    }
    return request
  }

  #value(name: string): string {
    const value = this.#variables.get(name)
    if (value === undefined) throw new Error(`No command has set $${name}`)
    return value
  }
}

interface Request {
  target: string
  method?: string
  headers: Headers
  body?: string | FormData
  cookiesFrom?: string
  cookiesTo?: string
  endless: boolean
}

function setBody(request: Request, body: string, type: string): void {
  request.body = body
  if (!request.headers.has('Content-Type')) request.headers.set('Content-Type', type)
}

/** Reads a reply that does not end, until nothing arrives for a while. */
async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const part = await Promise.race([reader?.read(), setTimeout(1500, undefined)])
    if (part?.value === undefined) break
    text += decoder.decode(part.value, { stream: true })
  }
  await reader?.cancel()
  return text
}

/** Splits a line into words like a shell. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? '')
  )
}

function headerOf(text: string): [string, string] {
  const at = text.indexOf(':')
  return [text.slice(0, at), text.slice(at + 1).trim()]
}

/** The smallest PNG: one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='

/** Adds a part such as `avatar=@ada.png` or `title=Hello` to a form. */
function addPart(form: FormData, text: string): void {
  const [, name = '', at = '', value = ''] = /^([^=]+)=(@?)(.*)$/.exec(text) ?? []
  if (at === '') form.append(name, value)
  else form.append(name, new Blob([value.endsWith('.png') ? Buffer.from(PNG, 'base64') : 'A few words.']), value)
}
