/** A reply, with its JSON where it is some. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly json: unknown
}

export interface SendOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | FormData
}

/** Sends requests as a browser or another program does: it keeps cookies, and follows no redirect. */
export class Client {
  readonly #cookies = new Map<string, string>()
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url
    this.#headers = headers
  }

  async send(path: string, { method, headers, json, body }: SendOptions = {}): Promise<Reply> {
    const content = json === undefined ? body : JSON.stringify(json)
    const response = await fetch(`${this.#url}${path}`, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(this.#cookies.size > 0 && { Cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...this.#headers,
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.#cookies.set(name, value)
    }
    const [type, text] = [response.headers.get('Content-Type') ?? '', await response.text()]
    return { status: response.status, type, text, json: type.includes('json') ? JSON.parse(text) : undefined }
  }
}
