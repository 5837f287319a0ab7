import type { Application, Request, Response } from 'express'
import { stackOf } from '../express/stack.js'
import { successOf } from '../base/messages/messages.js'
import type { Translator } from '../base/messages/translate.js'
import { attempt } from '../base/promises.js'

export type ErrorLog = (error: unknown, req: Request) => unknown

/** The options of an error handler that replies outside of it use too. */
export interface HandlerSettings {
  /** The `log` as it was given. */
  readonly log: ErrorLog | undefined
  /** Translates messages, by the option `messages`. */
  readonly translate: Translator | undefined
}

const settingsByHandler = new WeakMap<object, HandlerSettings>()

/** True once an error handler has a translator: without one no reply looks for it. */
export let isTranslating = false

export function keepSettings(handler: object, settings: HandlerSettings): void {
  isTranslating ||= settings.translate !== undefined
  settingsByHandler.set(handler, settings)
}

/** Returns the settings of an error handler, `undefined` for any other function. */
export function settingsOf(handler: object): HandlerSettings | undefined {
  return settingsByHandler.get(handler)
}

/** Returns the translator of the app's own error handler. */
export function translatorIn(app: Application): Translator | undefined {
  for (const { handle } of stackOf(app)) {
    const translate = settingsOf(handle)?.translate
    if (translate !== undefined) return translate
  }
  return undefined
}

/**
 * Returns the message of a success as it is sent, by the error handler of the app or of an app around it, and sets the
 * headers of its language.
 */
export function translateSuccess(res: Response, text: string, status: number): string {
  const { req } = res
  const translate = nearest(req)
  if (translate === undefined) return text
  const reply = { status, reason: undefined, message: successOf(text), fields: null }
  const { message, language } = translate(reply, req, undefined)
  setLanguage(res, language)
  return message
}

function nearest(req: Request): Translator | undefined {
  let { app }: { readonly app?: Application & { readonly parent?: Application } } = req
  for (; app !== undefined; app = app.parent) {
    const translate = translatorIn(app)
    if (translate !== undefined) return translate
  }
  return undefined
}

/** Returns the id that other middleware has given to a request. */
export function requestIdOf(req: Request & { readonly id?: unknown }): string | number | undefined {
  const id = attempt(() => req.id)
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Sets the headers of a reply in one of several languages; a `Content-Language` of the handler is kept. */
export function setLanguage(res: Response, language: string | undefined): void {
  if (language === undefined || res.headersSent) return
  attempt(() => res.vary('Accept-Language'))
  if (!res.hasHeader('Content-Language')) res.setHeader('Content-Language', language)
}
