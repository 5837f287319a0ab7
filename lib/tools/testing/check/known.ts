import { pathNamesOf, shapeOf } from '../../../core/index.js'
import { fieldsOf, type Resolve } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { encode, observe, type Sender } from './send.js'
import { bodyPlanOf, formOf, isReferredTo, validBody, type Filling } from './values.js'
import type { CheckBody, CheckRequest, Observed, Target } from './model.js'

/** Values of path arguments by name. */
export type PathValues = Readonly<Record<string, string>>

/** A record of a reply. */
export type KnownRecord = Readonly<Record<string, unknown>>

/** A valid request that a user of the check gives, where none can be made by the schemas alone. */
export interface RequestExample {
  readonly path?: Readonly<Record<string, string | number>> | undefined
  readonly query?: Readonly<Record<string, string | number>> | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Finds the records that callers can read, so that requests can name them. */
export class Known {
  readonly #sender: Sender
  readonly #targets: readonly Target[]
  readonly #resolve: Resolve
  readonly #examples: Readonly<Record<string, RequestExample>>
  readonly #listed = new Map<string, readonly KnownRecord[]>()
  /** Bodies that were accepted, by route and caller. */
  readonly #accepted = new Map<string, KnownRecord>()
  #number = 0

  constructor(
    sender: Sender,
    targets: readonly Target[],
    { resolve, examples }: { readonly resolve: Resolve; readonly examples: Readonly<Record<string, RequestExample>> },
  ) {
    this.#sender = sender
    this.#targets = targets
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
    await this.#loadReferences([...bodyPlanOf(target, this.#resolve)?.fields.keys() ?? []], caller)
    const pairs = Object.entries(example.query ?? {}).map(([name, value]) => [name, String(value)] as const)
    const idsParameter = target.operation?.parameters?.find(({ name, in: place }) =>
      name === 'ids' && place === 'query'
    )
    const isDeleteMany = target.method === 'DELETE' && idsParameter !== undefined
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

  #exampleOf({ name, method, path }: Target): RequestExample {
    return this.#examples[name ?? ''] ?? this.#examples[`${method} ${path}`] ?? {}
  }

  #bodyOf(target: Target, caller: string, fields: KnownRecord): CheckBody | undefined {
    const plan = bodyPlanOf(target, this.#resolve)
    if (plan === undefined) return undefined
    const values = { ...this.#accepted.get(`${caller} ${target.name ?? ''}`), ...this.#exampleOf(target).body,
      ...fields }
    const body = { ...validBody(plan, this.#filling(caller, values)), ...fields }
    return plan.isForm ? { form: formOf(target, body) } : { json: body }
  }

  /** Returns a valid value of a schema of objects, such as an item of a body. */
  async bodyFor(target: Target, caller: string, schema: JsonSchema): Promise<KnownRecord> {
    const fields = fieldsOf(schema, this.#resolve)
    await this.#loadReferences([...fields.keys()], caller)
    const plan = { isForm: false, schema, fields, example: undefined }
    return validBody(plan, this.#filling(caller, this.#accepted.get(`${caller} ${target.name ?? ''}`) ?? {}))
  }

  #filling(caller: string, known: KnownRecord): Filling {
    return {
      resolve: this.#resolve,
      number: this.next(),
      known,
      reference: (word) => {
        const list = this.listOf(word)
        return list === undefined ? undefined : this.#listed.get(`${caller} ${list.path}`)?.[0]?.id
      },
    }
  }

  /** Returns the list of the resource that a field such as `customerId` refers to. */
  listOf(word: string): Target | undefined {
    return this.#targets.find(({ method, path, entry }) =>
      method === 'GET' && entry?.action === 'list' && pathNamesOf(path).length === 0 && isReferredTo(path, word)
    )
  }

  async #loadReferences(names: readonly string[], caller: string): Promise<void> {
    for (const name of names) {
      const word = /^(.+?)(?:Id|_id)$/.exec(name)?.[1]
      const list = word === undefined ? undefined : this.listOf(word)
      if (list !== undefined) await this.records(list.path, caller)
    }
  }

  /** Remembers fields that a route has accepted, so that later requests send them again. */
  accept({ name }: Target, caller: string, fields: KnownRecord): void {
    this.#accepted.set(`${caller} ${name ?? ''}`, fields)
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
    const records = await this.records(before, caller, values)
    // The newest one: what is deleted or changed is then what was created here.
    const record = records.at(-1)
    return argumentFor(name, record)
  }

  /** Lists the records of a collection as a caller, none if that caller can't. */
  async ownRecords(path: string, caller: string, values: PathValues = {}): Promise<readonly KnownRecord[]> {
    const list = this.listAt(path)
    if (list === undefined || !isAdmitted(list.access[caller])) return []
    return recordsIn(await observe(this.#sender, readRequest(list, values, caller)))
  }

  /** Returns the route that lists a collection. */
  listAt(path: string): Target | undefined {
    return this.#targets.find(({ method, path: other }) => method === 'GET' && shapeOf(other) === shapeOf(path))
  }

  /** Lists the records of a collection as a caller, or as another one if that caller can't. */
  async records(path: string, caller: string, values: PathValues = {}): Promise<readonly KnownRecord[]> {
    const key = `${caller} ${pathOf({ path }, values)}`
    const listed = this.#listed.get(key)
    if (listed !== undefined) return listed
    const list = this.listAt(path)
    if (list === undefined) return []
    const others = Object.entries(list.access).filter(([, access]) => isAdmitted(access)).map(([name]) => name)
    let found: readonly KnownRecord[] = []
    for (const reader of [caller, ...others.filter((other) => other !== caller)]) {
      if (found.length > 0 || !isAdmitted(list.access[reader])) continue
      found = recordsIn(await observe(this.#sender, readRequest(list, values, reader)))
    }
    this.#listed.set(key, found)
    return found
  }
}

/** Returns the path of the collection whose records an argument names. */
export function collectionOf({ path }: Pick<Target, 'path'>, name: string): string {
  return path.split(new RegExp(`/[:*]${name.replaceAll('$', '\\$')}(?![\\w$])`))[0] ?? ''
}

/** Returns the value of an argument for a record. */
export function argumentFor(name: string, record: KnownRecord | undefined): unknown {
  return record?.[name] ?? record?.id
}

export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isAdmitted(access: unknown): boolean {
  return access === 'pass' || access === 'public'
}

/** Returns a GET of a path with these arguments. */
export function readRequest(target: Pick<Target, 'path'>, values: PathValues, caller: string): CheckRequest {
  return { caller, method: 'GET', path: pathOf(target, values), query: [], headers: {}, body: undefined }
}

function exampleOf({ operation }: Target, name: string): unknown {
  return operation?.parameters?.find((one) => one.in === 'path' && one.name === name)?.example
}

/** Returns the path of a target with these arguments, percent-encoded. */
export function pathOf({ path }: Pick<Target, 'path'>, values: PathValues): string {
  const [, ...segments] = path.split('/')
  const filled = segments.map((segment) =>
    segment.replace(/[:*]([A-Za-z_$][\w$]*)/g, (_, name: string) => encode(values[name] ?? '1')).replace(/[{}\\]/g, '')
  )
  return `/${filled.join('/')}`
}

/** Returns the records of a list, or the one record of any other reply. */
export function recordsIn({ status, json }: Observed): readonly KnownRecord[] {
  if (status < 200 || status >= 300) return []
  const data = (json as { readonly data?: unknown } | undefined)?.data ?? json
  const { items } = Object(data) as { readonly items?: unknown }
  const list: readonly unknown[] = Array.isArray(data) ? data : Array.isArray(items) ? items : [data]
  return list.filter((one): one is KnownRecord => typeof one === 'object' && one !== null && !Array.isArray(one))
}
