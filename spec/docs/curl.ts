/**
 * Sends the request of a `curl` line in the documentation to another address; `$name` in it is looked up in
 * `variables`, and `file` is its CSV file.
 */
export async function curl(
  line: string,
  base: string,
  variables: Readonly<Record<string, unknown>>,
  file?: string,
): Promise<Response> {
  const words = wordsOf(line.replace(/\$(\w+)/g, (_, name: string) => String(variables[name])))
  const headers = new Headers()
  let target = ''
  let method: string | undefined
  let body: string | undefined
  let form: FormData | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-X') method = words.shift()
    else if (word === '-H') headers.append(...headerOf(words.shift()))
    else if (word === '--json') body = words.shift()
    else if (word === '-F') (form ??= new FormData()).append(...fileOf(words.shift(), file))
    else if (word.startsWith('localhost:3000')) target = word.slice('localhost:3000'.length)
    else if (word !== 'curl' && word !== '-i') {
      throw new Error(`A curl line of the documentation has ${word}, which is not supported here.`)
    }
  }
  if (form !== undefined) return fetch(base + target, { method: method ?? 'POST', headers, body: form })
  if (body === undefined) return fetch(base + target, { method: method ?? 'GET', headers })
  headers.set('content-type', 'application/json')
  return fetch(base + target, { method: method ?? 'POST', headers, body })
}

/** Splits a line into words like a shell. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) =>
    single ?? double ?? bare ?? ''
  )
}

function headerOf(text = ''): [string, string] {
  const [name = '', value = ''] = text.split(/: */, 2)
  return [name, value]
}

/** The smallest PNG: one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='

/**
 * Returns a file of a form such as `avatar=@ada.png`: an image by its name, otherwise the content that the page shows.
 */
function fileOf(text = '', shown = 'A few words.'): [string, Blob, string] {
  const [name = '', file = ''] = text.split('=@', 2)
  const bytes = file.endsWith('.png') ? Buffer.from(PNG, 'base64') : Buffer.from(shown)
  return [name, new Blob([bytes]), file]
}
