import { createServer, Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { propertyOf } from '../../../core/index.js'
import type { JsonSchema } from '../../openapi/types.js'
import { sendChange } from './checking.js'
import type { KnownRecord } from './collections.js'
import type { Run } from './run.js'
import { mayBeString } from './string-schemas.js'
import { queryOf, withQuery } from './url-cases.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that the application requests no address of its own machine that a request names. */
export async function checkFetchedUrls(run: Run): Promise<void> {
  const places = run.targets.flatMap((target) => placesIn(run, target))
  if (places.length === 0) return
  const trap = await openTrap()
  try {
    for (const place of run.left(places)) await checkPlace(run, place, trap)
    await wait(PATIENCE)
    for (const place of places) await reportVisit(run, place, trap)
  } finally {
    await trap.close()
  }
}

/** Milliseconds that an application has for requests that it makes after its replies. */
const PATIENCE = 200

/** Names of fields that have the address of something. */
const ADDRESS =
  /ur[il]$|ur[il]_|href|link|webhook|callback|endpoint|feed|avatar|image|photo|picture|logo|source|target|website/i

/** A part of a request that may name an address. */
interface Part {
  readonly about: string
  readonly with: (make: (fields?: KnownRecord) => CheckRequest, url: string) => CheckRequest
}

interface Place extends Part {
  readonly target: Target
  readonly caller: string
  /** The requests that were sent, by their mark. */
  readonly sent: Map<string, CheckRequest>
}

function placesIn(run: Run, target: Target): Place[] {
  const caller = run.admitted(target)[0]
  if (caller === undefined) return []
  const parameters = queryOf(target).filter(({ name, schema }) =>
    isAddress(name, schema) && mayBeString(schema, run.resolve)
  ).map(({ name }): Part => ({ about: `the parameter \`${name}\``, with: (make, url) => withQuery(make(), name, url) }))
  const fields = [...run.fieldsOf(target)].filter(([name, { schema }]) =>
    isAddress(name, run.resolve(schema)) && mayBeString(schema, run.resolve)
  ).map(([name]): Part => ({ about: `the field \`${name}\``, with: (make, url) => make({ [name]: url }) }))
  return [...parameters, ...fields].map((part) => ({ ...part, target, caller, sent: new Map() }))
}

function isAddress(name: string, { format }: JsonSchema): boolean {
  return ADDRESS.test(name) || format === 'uri' || format === 'url'
}

/** Spellings of the address of the machine itself, some of which lists of forbidden hosts tend to lack. */
const HOSTS = ['127.0.0.1', 'localhost', '127.1', '2130706433']

async function checkPlace(run: Run, place: Place, trap: Trap): Promise<void> {
  const make = await run.known.maker(place.target, place.caller)
  for (const host of HOSTS) {
    const mark = `zq7x-${run.known.next()}-`
    const request = place.with(make, `http://${host}:${trap.port}/${mark}.png`)
    place.sent.set(mark, request)
    await sendChange(run, request)
    if (trap.hasSeen(mark)) return
  }
}

async function reportVisit(run: Run, { target, about, sent }: Place, trap: Trap): Promise<void> {
  for (const [mark, request] of sent) {
    if (!trap.hasSeen(mark)) continue
    return run.record(target, { request, about }, { kind: 'leak',
      message: 'The application requests an address of its own machine that a request names' })
  }
}

/** The method of Node.js: the command replaces it, so that modules of applications do not listen. */
const listen = Reflect.get(Server.prototype, 'listen') as (this: Server, ...given: unknown[]) => Server

/** A server of this machine that nobody has a reason to visit. */
interface Trap {
  readonly port: number
  readonly hasSeen: (mark: string) => boolean
  readonly close: () => Promise<unknown>
}

async function openTrap(): Promise<Trap> {
  const visits: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      visits.push(data.toString('latin1'))
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}')
    })
  })
  await new Promise<void>((resolve) => void listen.call(server, 0, '127.0.0.1', resolve))
  const close = (): Promise<unknown> => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  }
  const port = Number(propertyOf(server.address(), 'port'))
  return { port, hasSeen: (mark) => visits.some((text) => text.includes(mark)), close }
}
