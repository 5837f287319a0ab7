import { pathNamesOf, shapeOf } from '../../../core/index.js'
import { fieldsOf, type Resolve } from '../../openapi/fields.js'
import type { JsonSchema, Parameter } from '../../openapi/types.js'
import { argumentFor, collectionOf, figuresOf, isAdmitted, ownCollection, pathOf, readRequest, recordsIn, wordOf,
  type KnownRecord, type PathValues } from './collections.js'
import { observe, type Sender } from './send.js'
import { queryOf, withPairs } from './url-cases.js'
import { bodyPlanOf, formOf, isReferredTo, referredTo, validBody, type Filling } from './values.js'
import type { CheckBody, CheckRequest, Target } from './model.js'

/** A valid request that a user of the check gives, where none can be made by the schemas alone. */
export interface RequestExample {
  readonly path?: Readonly<Record<string, string | number>> | undefined
  readonly query?: Readonly<Record<string, string | number>> | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Parameters that search. */
export const SEARCH = /^(?:q|query|search|term|text|keywords?|s)$/i

/** Finds the records that callers can read, so that requests can name them. */
export class Known {
  readonly #sender: Sender
  readonly #targets: readonly Target[]
  readonly #resolve: Resolve
  readonly #examples: Readonly<Record<string, RequestExample>>
  /** The lists of resources that are not inside of others. */
  readonly #lists: readonly Target[]
  readonly #listed = new Map<string, readonly KnownRecord[]>()
  /** Words that searches find, by caller. */
  readonly #words = new Map<string, string>()
  #number = 0

  constructor(
    sender: Sender,
    targets: readonly Target[],
    { resolve, examples }: { readonly resolve: Resolve; readonly examples: Readonly<Record<string, RequestExample>> },
  ) {
    this.#sender = sender
    this.#targets = targets
    this.#lists = targets.filter(({ method, path, entry }) =>
      method === 'GET' && entry?.action === 'list' && pathNamesOf(path).length === 0
    )
    this.#resolve = resolve
    this.#examples = examples
  }

  /** Returns a number that no other request has. */
  next(): number {
    return ++this.#number
  }

  /** Forgets the records of all lists, which requests have changed. */
  forget(): void {
    this.#listed.clear()
  }

  /** Returns a function that makes valid requests to a target, as far as they can be made. */
  async maker(target: Target, caller: string): Promise<(fields?: KnownRecord) => CheckRequest> {
    const example = this.#exampleOf(target)
    const values = await this.valuesFor(target, caller)
    await this.#loadReferences(target, [...bodyPlanOf(target, this.#resolve)?.fields.keys() ?? []], caller)
    const pairs = await this.#queryFor(target, caller)
    const isDeleteMany = target.method === 'DELETE' && queryOf(target).some(({ name }) => name === 'ids')
    const id = isDeleteMany ? (await this.records(target.path, caller)).at(-1)?.id : undefined
    const query = id === undefined ? pairs : [...pairs, ['ids', wordOf(id)] as const]
    return (fields = {}) => ({
      caller,
      method: target.method,
      path: pathOf(target, values),
      query,
      headers: example.headers ?? {},
      body: isDeleteMany ? undefined : this.#bodyOf(target, caller, fields),
    })
  }

  /** Returns the parameters of an example, and a value for each other one that is required. */
  async #queryFor(target: Target, caller: string): Promise<(readonly [name: string, value: string])[]> {
    const given = this.#exampleOf(target).query ?? {}
    const pairs = Object.entries(given).map(([name, value]) => [name, String(value)] as const)
    for (const parameter of queryOf(target)) {
      const { name, required } = parameter
      if (!required || Object.hasOwn(given, name)) continue
      const value = await this.#parameterValue(target, parameter, caller)
      if (value !== undefined) pairs.push([name, wordOf(value)])
    }
    return pairs
  }

  async #parameterValue(target: Target, { name, schema, example }: Parameter, caller: string): Promise<unknown> {
    const word = SEARCH.test(name) ? await this.#wordFor(caller) : undefined
    if (word !== undefined) return word
    const object = { type: 'object', properties: { [name]: schema }, required: [name] }
    return (await this.bodyFor(target, caller, object, { [name]: example }))[name]
  }

  /** Returns the beginning of a word that a record has which the caller can list. */
  async #wordFor(caller: string): Promise<string | undefined> {
    const known = this.#words.get(caller)
    if (known !== undefined) return known
    for (const { path } of this.#lists) {
      const texts = (await this.records(path, caller)).flatMap((record) => [record.name, ...Object.values(record)])
      const word = texts.map((text) => typeof text === 'string' ? /^[a-z]{3}/i.exec(text)?.[0] : undefined)
        .find((text) => text !== undefined)
      if (word === undefined) continue
      this.#words.set(caller, word)
      return word
    }
    return undefined
  }

  #exampleOf({ name, method, path }: Target): RequestExample {
    return this.#examples[name ?? ''] ?? this.#examples[`${method} ${path}`] ?? {}
  }

  #bodyOf(target: Target, caller: string, fields: KnownRecord): CheckBody | undefined {
    const plan = bodyPlanOf(target, this.#resolve)
    if (plan === undefined) return undefined
    const values = { ...this.#exampleOf(target).body, ...fields }
    const body = { ...validBody(plan, this.#filling(caller, values)), ...fields }
    return plan.isForm ? { form: formOf(target, body) } : { json: body }
  }

  /** Returns a valid value of a schema of objects, such as an item of a body. */
  async bodyFor(target: Target, caller: string, schema: JsonSchema, example?: KnownRecord): Promise<KnownRecord> {
    const fields = fieldsOf(schema, this.#resolve)
    await this.#loadReferences(target, [...fields.keys()], caller)
    return validBody({ isForm: false, schema, fields, example }, this.#filling(caller, {}))
  }

  #filling(caller: string, known: KnownRecord): Filling {
    return {
      resolve: this.#resolve,
      number: this.next(),
      known,
      reference: (word, name) => {
        const list = this.listOf(word)
        return list === undefined ? this.#valueIn(caller, name) : this.#listed.get(`${caller} ${list.path}`)?.[0]?.id
      },
    }
  }

  /** Returns the list of the resource that a field such as `customerId` refers to. */
  listOf(word: string): Target | undefined {
    return this.#lists.find(({ path }) => isReferredTo(path, word))
  }

  /** Lists the records that fields refer to: of the resource of that name, or else those that have such a field. */
  async #loadReferences(target: Target, names: readonly string[], caller: string): Promise<void> {
    for (const name of names) {
      const word = referredTo(name)
      if (word === undefined) continue
      const list = this.listOf(word)
      await this.records(list?.path ?? ownCollection(target), caller)
    }
  }

  /** Returns the value that a field has in the records that were listed. */
  #valueIn(caller: string, name: string): unknown {
    const lists = [...this.#listed].filter(([key]) => key.startsWith(`${caller} `)).map(([, records]) => records)
    const record = lists.flat().find((one) => one[name] !== undefined && one[name] !== null)
    return record?.[name]
  }

  /** Returns values for the arguments of a target's path: ids of records that the caller can read, if there are any. */
  async valuesFor(target: Target, caller: string): Promise<PathValues> {
    const values: Record<string, string> = {}
    const { path: given = {} } = this.#exampleOf(target)
    for (const name of pathNamesOf(target.path)) {
      const declared = given[name] ?? (await this.#idFor(target, name, values, caller))
        ?? target.entry?.examples[name] ?? exampleOf(target, name) ?? 1
      values[name] = wordOf(declared)
    }
    return values
  }

  async #idFor(target: Target, name: string, values: PathValues, caller: string): Promise<unknown> {
    const before = collectionOf(target, name)
    // The newest one: what is deleted or changed is then what was created here.
    const records = (await this.records(before, caller, values)).toReversed()
    const names = pathNamesOf(target.path)
    const child = names[names.indexOf(name) + 1]
    const ids = records.map((record) => argumentFor(name, record))
    // Of a target for a child, the first of some parents that has children.
    for (const id of ids.slice(0, MOST_PARENTS)) {
      if (child === undefined) break
      const place = { ...values, [name]: wordOf(id) }
      if ((await this.records(collectionOf(target, child), caller, place)).length > 0) return id
    }
    return ids[0]
  }

  /** Lists the records of a collection as a caller, none if that caller can't. */
  async ownRecords(path: string, caller: string, values: PathValues = {}): Promise<readonly KnownRecord[]> {
    const list = this.listAt(path)
    if (list === undefined || !isAdmitted(list.access[caller])) return []
    return recordsIn(await observe(this.#sender, readRequest(list, values, caller)))
  }

  /** Lists the records of a collection as a caller, of the pages after the first one too. */
  async allRecords(path: string, caller: string): Promise<readonly KnownRecord[]> {
    const list = this.listAt(path)
    if (list === undefined || !isAdmitted(list.access[caller])) return []
    const request = readRequest(list, {}, caller)
    const found: KnownRecord[] = []
    let query: CheckRequest['query'] | undefined = []
    for (let page = 2; query !== undefined && page <= MOST_PAGES; page += 1) {
      const observed = await observe(this.#sender, withPairs(request, query))
      found.push(...recordsIn(observed))
      const { total, next } = figuresOf(observed)
      if (typeof next === 'string') query = [['cursor', next]]
      else query = found.length < Number(total ?? 0) ? [['page', String(page)]] : undefined
    }
    return found
  }

  listAt(path: string): Target | undefined {
    return this.#targets.find(({ method, path: other }) => method === 'GET' && shapeOf(other) === shapeOf(path))
  }

  /** Lists the records of a collection as a caller, or as another one if that caller can't. */
  async records(path: string, caller: string, values: PathValues = {}): Promise<readonly KnownRecord[]> {
    const key = `${caller} ${pathOf({ path }, values)}`
    const listed = this.#listed.get(key)
    if (listed !== undefined) return listed
    let found: readonly KnownRecord[] = []
    for (const reader of new Set([caller, ...Object.keys(this.listAt(path)?.access ?? {})])) {
      if (found.length === 0) found = await this.ownRecords(path, reader, values)
    }
    this.#listed.set(key, found)
    return found
  }
}

/** Pages of a list that are read. */
const MOST_PAGES = 20

/** Parents that are asked for their children. */
const MOST_PARENTS = 4

function exampleOf({ operation }: Target, name: string): unknown {
  return operation?.parameters?.find((one) => one.in === 'path' && one.name === name)?.example
}
