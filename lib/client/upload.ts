import type { ClientRequest } from './request.js'
import type { CallOptions } from './types.js'

/** The part of `XMLHttpRequest` that is used here; Node.js does not have it. */
interface Xhr {
  readonly status: number
  readonly response: Blob
  readonly responseURL: string
  responseType: string
  readonly upload: { onprogress: CallOptions['onUploadProgress'] }
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: ClientRequest['body']): void
  abort(): void
}

declare const XMLHttpRequest: new() => Xhr

/** Sends a request as `fetch` does, and reports the progress of its body. */
export function upload(
  url: string,
  { method, headers, body }: ClientRequest,
  { signal, onUploadProgress }: CallOptions,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const reason: unknown = signal?.reason
    if (signal?.aborted) reject(reason)
    const xhr = new XMLHttpRequest()
    xhr.open(method, url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.responseType = 'blob'
    xhr.upload.onprogress = onUploadProgress
    xhr.onerror = xhr.onabort = () => reject(new TypeError('The upload failed'))
    xhr.onload = () => resolve(responseOf(xhr))
    const abort = (): void => xhr.abort()
    signal?.addEventListener('abort', abort)
    xhr.onloadend = () => signal?.removeEventListener('abort', abort)
    if (!signal?.aborted) xhr.send(body)
  })
}

function responseOf(xhr: Xhr): Response {
  const lines = xhr.getAllResponseHeaders().trim().split(/[\r\n]+/).filter(Boolean)
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(/: *(.*)/)
    return [name, value]
  })
  const response = new Response(xhr.response.size > 0 ? xhr.response : null, { status: xhr.status, headers })
  return Object.defineProperty(response, 'url', { value: xhr.responseURL })
}
