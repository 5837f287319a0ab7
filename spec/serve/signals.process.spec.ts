import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serve } from 'resourcery'
import { connection } from '../support/raw-connection.js'

interface Started {
  readonly process: ChildProcess
  readonly urls: readonly string[]
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string }>
}

/** Starts a process that serves until the test ends. */
async function start(options: object): Promise<Started> {
  const child = fork(new URL('./fixtures/stoppable.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, OPTIONS: JSON.stringify(options), NODE_V8_COVERAGE: '' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (out += text))
  }
  const exit = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    out,
  }))
  const [urls] = (await Promise.race([once(child, 'message'), exit.then(() => Promise.reject(new Error(out)))])) as [
    string[],
  ]
  return { process: child, urls, exit }
}

async function slowly({ process: child }: Started, url: string): Promise<{ closed: Promise<string> }> {
  const asked = once(child, 'message')
  const { write, closed } = await connection(url)
  write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await asked
  return { closed }
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('ends a process with idle connections at once, with exit code 0', async () => {
    const started = await start({ drain: 600 })
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const response = await new Promise<IncomingMessage>((resolve) => get(started.urls[0] ?? '', { agent }, resolve))
    await once(response.resume(), 'end')
    started.process.kill(signal)
    expect(await started.exit).toEqual({ code: 0, signal: null, out: '' })
  })

  it('lets running requests finish, and runs onClose before the end', async () => {
    const started = await start({ drain: 600, onClose: 'quietly' })
    const { closed } = await slowly(started, started.urls[0] ?? '')
    started.process.kill(signal)
    started.process.send('go')
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*slowly$/)
    expect(await started.exit).toEqual({ code: 0, signal: null, out: 'released\n' })
  })
})

describe('a signal to a process that serves', () => {
  it('waits at most `drain` seconds', async () => {
    const started = await start({ drain: 0.1, onClose: 'quietly' })
    const { closed } = await slowly(started, started.urls[0] ?? '')
    started.process.kill('SIGTERM')
    expect(await started.exit).toEqual({ code: 0, signal: null, out: 'released\n' })
    expect(await closed).toBe('')
  })

  it('ends the process with exit code 1 if it is repeated after a second', async () => {
    const started = await start({ drain: 600 })
    await slowly(started, started.urls[0] ?? '')
    started.process.kill('SIGTERM')
    const since = performance.now()
    const again = setInterval(() => started.process.kill('SIGINT'), 50)
    onTestFinished(() => clearInterval(again))
    expect(await started.exit).toEqual({ code: 1, signal: null, out: '' })
    expect(performance.now() - since).toBeGreaterThan(1000)
  })

  it.each(
    [
      ['twice', ['SIGTERM', 'SIGTERM'], 20],
      ['many times, of both kinds', ['SIGINT', 'SIGTERM', 'SIGINT', 'SIGTERM', 'SIGTERM'], 100],
    ] as const,
  )('lets a running request finish if it comes %s within a second', async (_times, signals, pause) => {
    const started = await start({ drain: 600, onClose: 'quietly' })
    const { closed } = await slowly(started, started.urls[0] ?? '')
    for (const signal of signals) {
      started.process.kill(signal)
      await setTimeout(pause)
    }
    started.process.send('go')
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*slowly$/)
    expect(await started.exit).toEqual({ code: 0, signal: null, out: 'released\n' })
  })

  it('waits for every server of the process', async () => {
    const started = await start({ drain: 600, servers: 2, onClose: 'quietly' })
    const { closed } = await slowly(started, started.urls[1] ?? '')
    const idle = await connection(started.urls[0] ?? '')
    started.process.kill('SIGTERM')
    await idle.closed
    started.process.send('go')
    expect(await closed).toMatch(/slowly$/)
    expect(await started.exit).toEqual({ code: 0, signal: null, out: 'released\nreleased\n' })
  })

  it('ends the process with exit code 1 and a message if onClose fails', async () => {
    const started = await start({ onClose: 'badly' })
    started.process.kill('SIGTERM')
    const { code, out } = await started.exit
    expect(code).toBe(1)
    expect(out).toContain('the pool is stuck')
  })

  it('is not handled with `signals: false`', async () => {
    const started = await start({ signals: false })
    started.process.kill('SIGTERM')
    expect(await started.exit).toMatchObject({ code: null, signal: 'SIGTERM' })
  })
})

describe('a signal to a process with a `delay`', () => {
  it('lets the server accept and answer for that long, with Connection: close, and `ready` reply 503', async () => {
    const started = await start({ delay: 2, drain: 600, onClose: 'quietly' })
    const url = started.urls[0] ?? ''
    const ask = async (path: string): Promise<unknown> => {
      const response = await fetch(url + path)
      return [response.status, response.headers.get('connection'), await response.text()]
    }
    const readiness = (code: number, message: string, meta: object): string =>
      JSON.stringify({ code, message, data: null, meta })
    expect(await ask('/ready')).toEqual([200, 'keep-alive', readiness(200, 'ok', {})])
    const [used, fresh] = [await connection(url), await connection(url)]
    used.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await used.until(/fine$/)
    const { closed } = await slowly(started, url)
    const since = performance.now()
    started.process.kill('SIGTERM')
    const stopping = readiness(503, 'This is not available right now', { reason: 'unavailable' })
    await vi.waitFor(async () => expect(await ask('/ready')).toEqual([503, 'close', stopping]))
    for (const idle of [used, fresh]) {
      idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      expect(await idle.closed).toMatch(/Connection: close\r\n[^]*fine$/)
    }
    expect(await ask('/')).toEqual([200, 'close', 'fine'])
    started.process.send('go')
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close\r\n[^]*slowly$/)
    expect(await started.exit).toEqual({ code: 0, signal: null, out: 'released\n' })
    expect(performance.now() - since).toBeGreaterThan(1900)
  })
})

describe('the signal handlers of serve', () => {
  const count = (): number => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')

  it('are shared by all servers, and removed with the last one', async () => {
    const before = count()
    const options = { port: 0, host: '127.0.0.1' }
    const first = await serve(express(), options)
    const second = await serve(express(), options)
    expect(count()).toBe(before + 2)
    await first.close()
    expect(count()).toBe(before + 2)
    await second.close()
    expect(count()).toBe(before)
  })

  it('are removed even if closing fails', async () => {
    const before = count()
    const { close } = await serve(express(), {
      port: 0,
      host: '127.0.0.1',
      onClose: () => Promise.reject(new Error('stuck')),
    })
    await expect(close()).rejects.toThrow('stuck')
    expect(count()).toBe(before)
  })
})

describe('closeOnSignal', () => {
  async function fresh(): Promise<
    { closeOnSignal: (close: () => Promise<void>) => () => void; exit: ReturnType<typeof vi.fn> }
  > {
    vi.resetModules()
    const exit = vi.fn()
    vi.spyOn(process, 'exit').mockImplementation(exit as never)
    onTestFinished(() => void vi.restoreAllMocks())
    return { ...(await import('../../lib/core/serve/close.js')), exit }
  }

  it('closes everything, then exits with 0', async () => {
    const { closeOnSignal, exit } = await fresh()
    const closed: string[] = []
    const letGo = [
      closeOnSignal(async () => void closed.push('one')),
      closeOnSignal(async () => void closed.push('two')),
    ]
    process.emit('SIGTERM')
    await vi.waitFor(() => expect(exit.mock.calls).toEqual([[0]]))
    expect(closed).toEqual(['one', 'two'])
    for (const release of letGo) release()
  })

  it('exits with 1 if closing fails, and at a second signal after more than a second', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(5000)
    const { closeOnSignal, exit } = await fresh()
    const error = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const fault = new Error('stuck')
    const letGo = closeOnSignal(() => Promise.reject(fault))
    process.emit('SIGINT')
    await vi.waitFor(() => expect(exit.mock.calls).toEqual([[1]]))
    expect(error).toHaveBeenCalledWith(fault)
    now.mockReturnValue(6000)
    process.emit('SIGTERM')
    expect(exit).toHaveBeenCalledTimes(1)
    now.mockReturnValue(6001)
    process.emit('SIGTERM')
    expect(exit).toHaveBeenCalledTimes(2)
    letGo()
  })
})
