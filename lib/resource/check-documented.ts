import { MisuseError } from '../errors.js'
import { validateHeaderName } from '../node-http.js'
import { checkOptionNames } from '../options.js'
import type { HeaderFields } from '../types.js'
import type { LooseSpec } from './declaration.js'

/** Headers that OpenAPI tells of by other means, and would ignore here (Parameter Object, Response Object). */
const TOLD_ELSEWHERE = { request: ['accept', 'content-type', 'authorization'], response: ['content-type'] }

/** What is checked of the headers and statuses of which an action tells a document. */
export function checkDocumented(where: string, { requestHeaders = {}, responseHeaders = {}, statuses = [] }: LooseSpec): void {
  checkHeaders(where, 'request', requestHeaders)
  checkHeaders(where, 'response', responseHeaders)
  const odd = statuses.find((status) => !Number.isInteger(status) || status < 200 || status > 599)
  if (odd !== undefined) throw new MisuseError('statuses_invalid', `${where} may answer with ${String(odd)}; a status is a whole number from 200 to 599.`)
}

function checkHeaders(where: string, kind: 'request' | 'response', headers: HeaderFields): void {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  names.forEach((name, index) => {
    const fault = faultOf(kind, name) ?? (names.indexOf(name) < index ? 'is there a second time' : undefined)
    if (fault !== undefined) throw new MisuseError('header_invalid', `${where} tells of the ${kind} header \`${name}\`, which ${fault}.`)
  })
  for (const [name, header] of Object.entries(headers)) {
    if (isDescribed(header)) checkOptionNames(`The ${kind} header \`${name}\` of ${where}`, header, ['description', 'required', 'example'], {}, 'header_invalid')
  }
  const bare = Object.keys(headers).find((name) => !isDescribed(headers[name]))
  if (bare !== undefined) throw new MisuseError('header_invalid', `${where} tells of the ${kind} header \`${bare}\`, and not what it is for: it needs a \`description\`.`)
}

function isDescribed(header: unknown): boolean {
  const { description } = (header ?? {}) as { readonly description?: unknown }
  return typeof description === 'string' && description !== ''
}

function faultOf(kind: 'request' | 'response', name: string): string | undefined {
  if (TOLD_ELSEWHERE[kind].includes(name)) return 'a document tells of by other means'
  try {
    validateHeaderName(name)
    return undefined
  } catch {
    return 'is no name that a header can have'
  }
}
