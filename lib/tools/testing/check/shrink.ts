import { isObject } from '../../../core/index.js'
import type { CheckRequest } from './model.js'

/** Requests that are tried for each finding. */
const TRIES = 40

/** Returns a smaller request that still has the fault; `has` sends one. */
export async function shrunk(request: CheckRequest, has: (smaller: CheckRequest) => Promise<boolean>,
  tries = TRIES): Promise<CheckRequest>
{
  let left = tries
  for (const candidate of smallerRequests(request)) {
    if (left-- <= 0) break
    if (await has(candidate)) return shrunk(candidate, has, left)
  }
  return request
}

function* smallerRequests(request: CheckRequest): Generator<CheckRequest> {
  const { query, headers, body } = request
  for (const index of query.keys()) yield { ...request, query: query.toSpliced(index, 1) }
  for (const others of withoutOne(headers)) yield { ...request, headers: others }
  if (body !== undefined && 'json' in body) {
    for (const json of smallerValues(body.json)) yield { ...request, body: { json } }
  }
  for (const [index, [name, value]] of query.entries()) {
    for (const text of shorterTexts(value)) yield { ...request, query: query.with(index, [name, text]) }
  }
}

function withoutOne<T>(object: Readonly<Record<string, T>>): Readonly<Record<string, T>>[] {
  const entries = Object.entries(object)
  return entries.map((_, index) => Object.fromEntries(entries.toSpliced(index, 1)))
}

/** Returns an object without one of its fields, then with a smaller one; a list by half; a shorter string. */
function* smallerValues(value: unknown): Generator {
  if (typeof value === 'string') yield* shorterTexts(value)
  if (Array.isArray(value) && value.length > 1) yield value.slice(0, Math.floor(value.length / 2))
  if (!isObject(value)) return
  yield* withoutOne(value)
  for (const [name, one] of Object.entries(value)) {
    for (const smaller of smallerValues(one)) yield { ...value, [name]: smaller }
  }
}

function* shorterTexts(text: string): Generator<string> {
  const letters = Array.from(text)
  if (letters.length < 2) return
  yield letters.slice(0, Math.ceil(letters.length / 2)).join('')
  yield letters.slice(Math.ceil(letters.length / 2)).join('')
  if (letters.length < 12) yield* letters
}
