import { AsyncLocalStorage } from 'node:async_hooks'
import type { CheckRequest } from './model.js'

/** Holds the observations of one request, during the reply and after it. */
export interface Trace {
  readonly request: CheckRequest
  /** The error that would have ended the process, as a property. */
  crash?: unknown
  /** The warning of Node.js about an emitter to which requests have added listeners without end. */
  warning?: string
  /** True if more was sent after the end of the reply. */
  isTwice: boolean
  /** True once the reply was judged: what happens from then on is late. */
  isJudged: boolean
  /** Called at a crash during the reply. */
  wake: () => void
}

/** Watches for errors that would end the process, and tells which request has caused each. */
export interface CrashWatch {
  /** Begins with a request. */
  begin(request: CheckRequest): Trace
  /** Makes what the current function starts, its timers included, belong to a request. */
  enter(trace: Trace): void
  /** Records that more was sent after the end of a reply. */
  noteTwice(trace: Trace): void
  /** Returns the requests after whose reply something has happened, each once. */
  takeLate(): readonly Trace[]
  /** Gives the process its own listeners back. */
  end(): void
}

const EVENTS = ['unhandledRejection', 'uncaughtException'] as const

type Listener = (error: unknown) => void

/** Replaces the listeners of the process for the time of a run, so that a crash is a finding and not the end of it. */
export function watchCrashes(): CrashWatch {
  const causes = new AsyncLocalStorage<Trace>()
  const late = new Set<Trace>()
  let last: Trace | undefined
  const notice: Listener = (error) => {
    const trace = causes.getStore() ?? last
    if (trace === undefined || 'crash' in trace) return
    trace.crash = error
    if (trace.isJudged) late.add(trace)
    trace.wake()
  }
  const noticeWarning = ({ name, message }: Error): void => {
    const trace = causes.getStore()
    if (name !== 'MaxListenersExceededWarning' || trace === undefined) return
    trace.warning = message
    late.add(trace)
  }
  const giveBack = replaceListeners(notice)
  process.on('warning', noticeWarning)
  return {
    begin: (request) => (last = { request, isTwice: false, isJudged: false, wake: () => undefined }),
    enter: (trace) => causes.enterWith(trace),
    noteTwice: (trace) => {
      if (trace.isJudged && !trace.isTwice) late.add(trace)
      trace.isTwice = true
    },
    takeLate: () => {
      const taken = [...late]
      late.clear()
      return taken
    },
    end: () => {
      process.off('warning', noticeWarning)
      giveBack()
    },
  }
}

/** Replaces the listeners and `process.exit`; returns a function that restores them. */
function replaceListeners(notice: Listener): () => void {
  const before = EVENTS.map((event) => [event, process.rawListeners(event) as unknown as Listener[]] as const)
  for (const event of EVENTS) {
    process.removeAllListeners(event)
    process.on(event, notice)
  }
  const exit = Object.getOwnPropertyDescriptor(process, 'exit')
  const refuseExit = (): never => {
    const error = new Error('process.exit() was called')
    notice(error)
    throw error
  }
  Object.defineProperty(process, 'exit', { value: refuseExit, configurable: true, writable: true })
  return () => {
    for (const [event, listeners] of before) {
      process.off(event, notice)
      for (const listener of listeners) process.on(event, listener)
    }
    if (exit !== undefined) Object.defineProperty(process, 'exit', exit)
  }
}
