import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Application } from 'express'
import { keepPlain, partsOf } from '../seam.js'
import { continueWhenRead } from './continue.js'
import { answerConnect, answerParserError } from './parser-errors.js'
import type { Traffic } from './traffic.js'

/** Puts an app and its traffic behind a server; what a server of the user's own listens to already stays. */
export function attach(server: Server, app: Application, traffic: Traffic, fast: boolean): void {
  const others = server.listeners('request').filter((listener) => listener !== app)
  if (others.length === 0) {
    const enter = partsOf(fast).entry(app)
    server.off('request', app)
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      if (!traffic.admit(req, res)) return
      traffic.watch(res)
      enter(req, res)
    })
  } else {
    server.prependListener('request', (req, res) => {
      if (!fast) keepPlain(req)
      traffic.watch(res)
    })
  }
  if (server.listenerCount('checkContinue') === 0) {
    server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
      continueWhenRead(req, res)
      server.emit('request', req, res)
    })
  }
  if (server.listenerCount('checkExpectation') === 0) server.on('checkExpectation', (_req, res: ServerResponse) => traffic.refuseExpectation(res))
  if (server.listenerCount('clientError') === 0) server.on('clientError', (error, socket: Socket) => answerParserError(error, socket, app))
  if (server.listenerCount('connect') === 0) server.on('connect', (_req, socket) => answerConnect(socket, app))
}
