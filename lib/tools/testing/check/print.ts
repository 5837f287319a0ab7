import { targetOf } from './send.js'
import type { CallersByName, CheckBody, CheckRequest } from './model.js'

/** Returns a request as a command for a shell; a caller needs a token there. */
export function toCurl(request: CheckRequest, callers: CallersByName): string {
  const { method, headers, body, caller } = request
  const token = !isSignedIn(callers, caller) || headers.authorization !== undefined
    ? []
    : [`authorization: Bearer <token of ${caller}>`]
  const type = typeOf(body)
  const lines = [...token, ...(type === undefined ? [] : [`content-type: ${type}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  const long = longJson(body)
  const parts = [
    ...(long === undefined ? [] : [`node -p ${quote(`JSON.stringify(${long})`)} |`]),
    `curl -i -X ${method} ${quote(`http://localhost:3000${targetOf(request)}`)}`,
    ...lines.map((line) => `-H ${quote(line)}`),
    ...(long === undefined ? bodyParts(body) : ['--data-binary @-']),
  ]
  return parts.join(' ')
}

function isSignedIn(callers: CallersByName, name: string): boolean {
  return (callers.get(name) ?? null) !== null
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function typeOf(body: CheckBody | undefined): string | undefined {
  if (body === undefined || 'form' in body) return undefined
  return 'json' in body ? 'application/json' : body.type
}

function bodyParts(body: CheckBody | undefined): string[] {
  if (body === undefined) return []
  if ('json' in body) return [`--data-raw ${quote(JSON.stringify(body.json))}`]
  if ('text' in body) return [`--data-raw ${quote(shorten(body.text))}`]
  return body.form.map(({ name, value, file }) =>
    file === undefined ? `-F ${quote(`${name}=${value}`)}` : `-F ${quote(`${name}=@${file.name};type=${file.type}`)}`
  )
}

export function toInject({ method, path, query, headers, body, caller }: CheckRequest, callers: CallersByName): string {
  const type = body !== undefined && 'text' in body && body.type !== undefined ? { 'content-type': body.type } : {}
  const sent = { ...type, ...headers }
  const options = [
    `method: ${JSON.stringify(method)}`,
    `path: ${JSON.stringify(targetOf({ path, query }))}`,
    ...(Object.keys(sent).length === 0 ? [] : [`headers: ${JSON.stringify(sent)}`]),
    ...(body === undefined ? [] : [`body: ${bodyCode(body)}`]),
    ...(!isSignedIn(callers, caller) ? [] : [`as: ${JSON.stringify(callers.get(caller))}`]),
  ]
  return `await inject(app, { ${options.join(', ')} })`
}

function bodyCode(body: CheckBody): string {
  if ('json' in body) return longJson(body) ?? stringCode(body.json)
  if ('text' in body) return JSON.stringify(shorten(body.text))
  const names = body.form.map(({ name, file }) => (file === undefined ? name : `${name} (${file.type})`))
  return `form /* a FormData with ${names.join(', ')} */`
}

/** Characters of the same kind that are printed by their number. */
const RUN = /([^"\\])\1{1999,}/g

/** Returns a JSON value as code in which long runs of a character are short, `undefined` if it has none. */
function longJson(body: CheckBody | undefined): string | undefined {
  if (body === undefined || !('json' in body)) return undefined
  const code = JSON.stringify(body.json)
  const short = code.replace(RUN, (run, one: string) => `" + "${one}".repeat(${run.length}) + "`)
  // The name of a field is no expression.
  return short === code || /\) \+ "[^"]*":/.test(short)
    ? undefined
    : short.replaceAll('"" + ', '').replaceAll(' + ""', '')
}

/** A string would be sent without a media type. */
function stringCode(json: unknown): string {
  return typeof json === 'string' ? JSON.stringify(JSON.stringify(json)) : JSON.stringify(json)
}

/** The longest string that is printed whole. */
const LONGEST = 2000

function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, 200)}… (${text.length} characters)`
}
