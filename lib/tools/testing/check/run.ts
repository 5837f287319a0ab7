import type { Application } from 'express'
import type { Field, Resolve } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { accessFaults, frontFaults, sharedFaults } from './access-faults.js'
import { isAccepted, isAdmitted, type KnownRecord } from './collections.js'
import { watchCrashes } from './crashes.js'
import type { CheckFinding } from './findings.js'
import { Known } from './known.js'
import { Leaks } from './leaks.js'
import { boundedSnapshot, isNamed, type CheckSettings } from './options.js'
import { toCurl, toInject } from './print.js'
import { lateFault, replyFaults, type Judge } from './reply-faults.js'
import { observe, type Sender } from './send.js'
import { shrunk } from './shrink.js'
import type { Surface } from './targets.js'
import { bodyPlanOf } from './values.js'
import { labelOf, type CheckCase, type CheckKind, type CheckRequest, type Fault, type Observed,
  type Target } from './model.js'

/** Findings of one kind that are reported for one route. */
const MOST_OF_A_KIND = 3

/** Seconds of a run whose budget is not given. */
const LEAST_BUDGET = 30
const SECONDS_A_ROUTE = 1.5

/** Requests to a route that may take the whole time limit; what follows gets less time, so that the budget is left. */
const MOST_SILENT = 2

/** Milliseconds for a request to a route that has not replied in time before. */
const SILENT = 250

/** The state of one check of one app. */
export class Run {
  readonly settings: CheckSettings
  readonly targets: readonly Target[]
  readonly resolve: Resolve
  readonly sender: Sender
  readonly known: Known
  readonly judge: Judge
  readonly findings: CheckFinding[] = []
  readonly #budget: number
  readonly #started = performance.now()
  readonly #seen = new Map<string, number>()
  /** The target of each request that was sent for one, and the route that it has reached. */
  readonly #sent = new WeakMap<CheckRequest, { target?: Target | undefined; reached?: Observed['reached'] }>()
  /** The number of requests without a reply in time, by method and path. */
  readonly #silent = new Map<string, number>()
  requests = 0
  #share = 1
  isComplete = true

  constructor(app: Application, { targets, document }: Surface, settings: CheckSettings) {
    this.targets = targets.filter((target) => isChosen(target, settings))
    this.#budget = settings.budget ?? Math.max(LEAST_BUDGET, SECONDS_A_ROUTE * this.targets.length)
    this.settings = { ...settings, snapshot: boundedSnapshot(settings, Math.max(this.#budget, settings.timeout)) }
    this.resolve = resolver(document.components.schemas)
    this.sender = {
      app,
      callers: new Map(Object.entries(settings.callers)),
      crashes: watchCrashes(),
      limit: settings.timeout * 1000,
      count: () => this.requests++,
    }
    this.known = new Known(this.sender, this.targets, { resolve: this.resolve, examples: settings.examples })
    const { decode, secrets, timeout } = settings
    this.judge = { document, resolve: this.resolve, leaks: new Leaks(secrets), decode, limit: timeout * 1000 }
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000
  }

  /** Returns true once the budget is spent; the report then says so. */
  isOver(): boolean {
    if (this.seconds < this.#budget * this.#share) return false
    this.isComplete = false
    return true
  }

  /** Limits what follows to a share of the budget, so that what comes after it has some of it too. */
  limitTo(share: number): void {
    this.#share = share
  }

  /** Yields these values, all routes by default, until the budget is spent. */
  left(): Generator<Target>
  left<Value>(values: Iterable<Value>): Generator<Value>
  *left(values: Iterable<unknown> = this.targets): Generator {
    for (const value of values) {
      if (this.isOver()) return
      yield value
    }
  }

  /** Returns the callers whom the guards of all these routes admit, none if a route is missing. */
  admitted(...targets: readonly (Target | undefined)[]): string[] {
    return [...this.sender.callers.keys()].filter((name) => targets.every((target) => isAdmitted(target?.access[name])))
  }

  anonymous(): string | undefined {
    return [...this.sender.callers].find(([, caller]) => caller === null)?.[0]
  }

  fieldsOf(target: Target): ReadonlyMap<string, Field> {
    return bodyPlanOf(target, this.resolve)?.fields ?? new Map<string, Field>()
  }

  /** Makes a valid request, with these fields among others. */
  async valid(target: Target, caller: string, fields?: KnownRecord): Promise<CheckRequest> {
    return (await this.known.maker(target, caller))(fields)
  }

  /** Gives the process back what was changed for the run. */
  end(): void {
    this.sender.crashes.end()
  }

  async send(request: CheckRequest): Promise<Observed> {
    const place = `${request.method} ${request.path.replace(/\/[^/]*\d[^/]*/g, '/:id')}`
    const count = this.#silent.get(place) ?? 0
    const sender = count < MOST_SILENT ? this.sender : { ...this.sender, limit: Math.min(this.sender.limit, SILENT) }
    const observed = await observe(sender, request)
    if (observed.failed === 'time') this.#silent.set(place, count + 1)
    this.#sent.set(request, { ...this.#sent.get(request), reached: observed.reached })
    await this.#recordLate()
    return observed
  }

  /** Waits for what the last requests have started, and records its faults. */
  async settle(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    await this.#recordLate()
  }

  /** Records what has happened after the replies to earlier requests. */
  async #recordLate(): Promise<void> {
    for (const trace of this.sender.crashes.takeLate()) {
      const { request } = trace
      const { reached, target = targetFor(this.targets, request, reached) } = this.#sent.get(request) ?? {}
      if (target === undefined) continue
      await this.record(target, { request, about: 'after the reply' }, lateFault(trace))
    }
  }

  /** Sends the request of a case and records the faults of the reply. */
  async probe(target: Target, probe: CheckCase): Promise<Observed> {
    this.#sent.set(probe.request, { target })
    const observed = await this.send(probe.request)
    for (const fault of this.#faultsOf(target, probe, observed)) {
      await this.record(target, probe, fault, async (request) => {
        const again = await this.send(request)
        return this.#faultsOf(target, { ...probe, request, isInvalid: false }, again).some((one) => isSame(one, fault))
      })
    }
    return observed
  }

  #faultsOf(target: Target, { request, isInvalid, isPlain = false }: CheckCase, observed: Observed): Fault[] {
    const faults = [
      ...replyFaults(this.judge, target, request, observed),
      ...accessFaults(target, request, observed, isPlain),
      ...frontFaults(target, request, observed),
      ...sharedFaults(target, observed),
    ]
    return isInvalid === true && isAccepted(observed) && faults.length === 0
      ? [{ kind: 'document', message: 'The document refuses the request, but the application accepts it' }]
      : faults
  }

  /** Records a fault once, with the smallest request that shows it. */
  async record(
    target: Target,
    { request, about }: CheckCase,
    { kind, message }: Fault,
    has?: (smaller: CheckRequest) => Promise<boolean>,
  ): Promise<void> {
    const route = labelOf(target)
    // The message of a crash may have the input in it.
    const key = kind === 'crash' ? `${route} crash` : `${route} ${kind} ${message}`
    const count = this.#seen.get(`${route} ${kind}`) ?? 0
    if (this.#seen.has(key) || count >= MOST_OF_A_KIND) return
    this.#seen.set(key, 1).set(`${route} ${kind}`, count + 1)
    const isSlow = kind === 'time' || this.isOver()
    const shown = has === undefined || isSlow ? request : await shrunk(request, has)
    const { callers } = this.sender
    this.findings.push({
      kind,
      route,
      name: target.name,
      caller: shown.caller,
      message,
      about,
      request: shown,
      curl: toCurl(shown, callers),
      inject: toInject(shown, callers),
    })
  }

  /** Returns true if this kind of fault was reported often enough for a route, so that no more is asked. */
  isKnown(target: Target, kind: Fault['kind']): boolean {
    return (this.#seen.get(`${labelOf(target)} ${kind}`) ?? 0) > 0
  }
}

/** Returns a function that records faults of one kind, which one part of a request shows. */
export function reporter(kind: CheckKind, about: string): Report {
  return (run, target, request, message) => run.record(target, { request, about }, { kind, message })
}

type Report = (run: Run, target: Target, request: CheckRequest, message: string) => Promise<void>

/** Returns the target of a request by the route that it has reached, or by its path. */
function targetFor(targets: readonly Target[], { method, path }: CheckRequest, reached: Observed['reached']):
  | Target
  | undefined
{
  const isMatch = (pattern: string): boolean => {
    const [names, values] = [pattern.split('/'), path.split('/')]
    return names.length === values.length
      && names.every((name, index) => name.startsWith(':') || name === values[index])
  }
  return targets.find(({ entry }) => entry !== undefined && entry === reached)
    ?? targets.find((target) => target.method === method && isMatch(target.path))
}

function isSame(one: Fault, other: Fault): boolean {
  return one.kind === other.kind && (one.kind === 'crash' || one.message === other.message)
}

function resolver(schemas: Readonly<Record<string, JsonSchema>>): Resolve {
  const resolve: Resolve = (schema) => {
    const { $ref } = schema
    return $ref === undefined ? schema : resolve(schemas[$ref.split('/').pop() ?? ''] ?? {})
  }
  return resolve
}

/** Returns true for a route that the options `skip` and `only` leave. */
export function isChosen(
  target: Pick<Target, 'method' | 'path' | 'name'>,
  { skip, only }: Pick<CheckSettings, 'skip' | 'only'>,
): boolean {
  const names = [target.name, labelOf(target), target.path]
  const isIn = (list: readonly string[]): boolean => names.some((name) => list.some((given) => isNamed(given, name)))
  return !isIn(skip) && (only === undefined || isIn(only))
}
