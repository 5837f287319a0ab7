import type { Request } from 'express'

/** The target of a request in one router, from which mounts remove their part and to which it returns. */
export class Target {
  /** The target with which the request entered the router. */
  readonly url: string
  readonly baseUrl: string
  /** The target that the last layer received. */
  layerUrl: string
  readonly #req: Request
  /** The part of the path that a mount has removed. */
  #removed = ''
  #slashAdded = false

  constructor(req: Request) {
    this.#req = req
    this.url = this.layerUrl = req.url
    this.baseUrl = req.baseUrl
  }

  /** Removes the prefix of a mount, as Express does. */
  trim(prefix: string): void {
    this.layerUrl = this.url
    if (prefix === '') return
    const rest = this.url.slice(prefix.length)
    this.#removed = prefix
    this.#slashAdded = !rest.startsWith('/')
    this.layerUrl = this.#slashAdded ? `/${rest}` : rest
    this.#req.url = this.layerUrl
    this.#req.baseUrl = this.baseUrl + (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
  }

  /** Puts back what a mount has removed, in front of what middleware may have made of the rest. */
  restore(): void {
    const req = this.#req
    if (this.#slashAdded) this.#removeSlash()
    if (this.#removed === '') return
    req.baseUrl = this.baseUrl
    req.url = this.#removed + req.url
    this.#removed = ''
  }

  /** Removes the slash that replaced an empty path, unless middleware rewrote the path. */
  #removeSlash(): void {
    const req = this.#req
    const isRoot = req.url === '/' || req.url.startsWith('/?')
    if (isRoot || (this.#removed.endsWith('/') && req.url.startsWith('/'))) req.url = req.url.slice(1)
    this.#slashAdded = false
  }
}
