const SECONDS = 10

/** Sends a request over HTTP, as its document says. */
export async function send(origin, operation, document, request, headers) {
  const { values, content, type } = request
  const url = new URL(pathOf(operation, values, document), origin)
  const sent = { ...headers }
  for (const parameter of operation.parameters) {
    const value = values[`${parameter.in} ${parameter.name}`]
    if (value === undefined) continue
    if (parameter.in === 'query') addToQuery(url, parameter, value)
    if (parameter.in === 'header') sent[parameter.name] = String(value)
  }
  const init = { method: operation.method, headers: sent, redirect: 'manual',
    signal: AbortSignal.timeout(SECONDS * 1000) }
  if (type === 'multipart/form-data') init.body = formOf(operation.body.content[type], content, document)
  else if (type !== undefined) {
    sent['Content-Type'] = type
    init.body = request.isRaw ? content : JSON.stringify(content)
  }
  const reply = await fetch(url, init)
  return { url, status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}

function pathOf({ path, parameters }, values) {
  return path.replace(/\{([^}]+)\}/g, (_whole, name) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return parameter === undefined ? '' : encodeURIComponent(String(values[`path ${name}`]))
  })
}

function addToQuery(url, { name, explode = true }, value) {
  if (!Array.isArray(value)) url.searchParams.append(name, String(value))
  else if (explode) { for (const item of value) url.searchParams.append(name, String(item)) }
  else url.searchParams.append(name, value.map(String).join(','))
}

/** A one-pixel image and a text, for fields that name their types. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function formOf({ schema, encoding = {} }, content, document) {
  const form = new FormData()
  const { properties = {} } = document.resolve(schema)
  for (const [name, value] of Object.entries(content ?? {})) {
    const field = document.resolve(properties[name] ?? {})
    const isFile = [field, document.resolve(field.items ?? {})].some((one) =>
      one.format === 'binary' || one.contentMediaType !== undefined
    )
    for (const item of [value].flat()) {
      if (item === null || item === undefined) continue
      if (!isFile) form.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item))
      else form.append(name, ...fileFor(
          encoding[name]?.contentType ?? field.contentMediaType ?? field.items?.contentMediaType ?? 'text/plain',
        ))
    }
  }
  return form
}

function fileFor(types) {
  const type = types.split(',')[0].trim()
  if (/png|\*\/\*|image\/\*|octet/.test(types)) return [new Blob([PNG], { type: 'image/png' }), 'dot.png']
  if (type === 'application/pdf') return [new Blob(['%PDF-1.4\n%%EOF\n'], { type }), 'a.pdf']
  return [new Blob(['a,b\r\n1,2\r\n'], { type }), type === 'text/csv' ? 'a.csv' : 'a.txt']
}
