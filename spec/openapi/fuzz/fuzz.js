import { Document } from './document.js'
import { Requests } from './requests.js'
import { send } from './send.js'
import { Values } from './values.js'

/**
 * Sends requests that are made from the document of an application alone, and judges the replies by it.
 *
 * @returns the number of requests and a list of findings.
 */
export async function fuzz(
  { url, document: json, headers, seed, runs, allows = () => false, skip = () => false, ids = {} },
) {
  const document = new Document(json)
  const values = new Values(document, seed)
  const findings = new Map()
  const statuses = new Map()
  let sent = 0
  const note = (operation, kind, detail) => {
    const key = `${operation.method} ${operation.path} ${kind}`
    const known = findings.get(key) ?? { count: 0, detail }
    findings.set(key, { ...known, count: known.count + 1 })
  }
  // Records are made first and removed last, so that most requests find some.
  const order = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']
  const operations = document.operations.filter((operation) => !skip(operation)).sort((one, other) =>
    order.indexOf(one.method) - order.indexOf(other.method)
  )
  const known = new Known(ids)
  for (const operation of operations) {
    const requests = new Requests(operation, document, values)
    for (const isValid of [true, false]) {
      for (let turn = isValid ? runs : Math.ceil(runs * 0.8); turn > 0; turn--) {
        const request = isValid ? requests.valid() : requests.invalid()
        if (request === undefined) continue
        if (request.missing.length > 0) {
          note(operation, `no value was found for ${request.missing.join(', ')}`, '')
          continue
        }
        const filled = known.fill(operation, request, document)
        let reply
        try {
          reply = await send(url, operation, document, filled, headers)
        } catch (error) {
          note(operation, `no reply (${error.name})`, show(filled, undefined))
          continue
        }
        sent++
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
        known.learn(operation, reply)
        for (const [kind, detail] of judge(operation, document, filled, reply, isValid, allows)) {
          note(operation, kind, `${detail}\n    ${show(filled, reply)}`)
        }
      }
    }
  }
  return { sent, statuses, findings }
}

/** The ids that replies have shown, by the path of their list, so that other operations find records. */
class Known {
  #ids = new Map()
  #turn = 0

  constructor(ids) {
    for (const [path, list] of Object.entries(ids)) this.#ids.set(path, [...list])
  }

  learn({ path }, { status, bytes }) {
    if (status !== 200 && status !== 201) return
    let data
    try {
      ;({ data } = JSON.parse(bytes.toString()))
    } catch {
      return
    }
    const list = path.replace(/\/\{[^}]+\}$/, '')
    for (const { id } of [data].flat().filter((one) => typeof one === 'object' && one !== null)) {
      if (id === undefined) continue
      const found = this.#ids.get(list) ?? []
      if (!found.includes(id)) this.#ids.set(list, [...found, id].slice(-20))
    }
  }

  fill({ path, parameters }, request, document) {
    const values = { ...request.values }
    for (const [whole, before, name] of path.matchAll(/(?<=^(.*?))\/\{([^}]+)\}/g)) {
      const { schema } = parameters.find((one) => one.in === 'path' && one.name === name)
      const found = this.#ids.get(before)?.filter((id) => document.holds(schema, id))
      const isBroken = request.why?.startsWith(`path ${name}`)
      if (found?.length > 0 && !isBroken && this.#turn++ % 4 !== 0)
        values[`path ${name}`] = found[this.#turn % found.length]
    }
    return { ...request, values }
  }
}

function* judge(operation, document, request, reply, isValid, allows) {
  const { status, headers, bytes } = reply
  if (status >= 500) yield [`replied ${status}`, '']
  if (isValid && [400, 415, 422].includes(status) && !allows(operation, reply))
    yield ['a valid request was refused', '']
  if (!isValid && status < 300) yield ['an invalid request was accepted', request.why]
  const documented = operation.responses[status] ?? operation.responses.default
  if (operation.responses[status] === undefined && status !== 304) yield [`status ${status} is not documented`, '']
  if (documented === undefined) return
  const { content, headers: declared = {} } = document.resolve(documented)
  for (const [name, header] of Object.entries(declared)) {
    if (document.resolve(header).required && !headers.has(name)) yield [`${status} lacks the header ${name}`, '']
  }
  if (content === undefined) {
    if (bytes.length > 0) yield [`${status} has a body that is not documented`, '']
    return
  }
  const type = (headers.get('content-type') ?? '').replace(/;.*/, '')
  if (content[type] === undefined) {
    yield [`${status} has the content type ${type || 'none'}, documented are ${Object.keys(content).join(', ')}`, '']
    return
  }
  if (!/json$/.test(type)) return
  let body
  try {
    body = JSON.parse(bytes.toString())
  } catch {
    yield [`${status} is not JSON`, '']
    return
  }
  const errors = document.errors(content[type].schema, body)
  if (errors !== undefined) yield [`the body of ${status} does not fit`, errors]
}

function show({ values, content, type, why }, reply) {
  return `${why ?? ''} ${JSON.stringify(values)} ${type ?? ''} ${(JSON.stringify(content) ?? '').slice(0, 600)}`
    + (reply === undefined ? '' : `\n    ${reply.url} -> ${reply.status} ${reply.bytes.toString().slice(0, 400)}`)
}
