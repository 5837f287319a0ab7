import type { Response } from 'express'

export type Replacer = ((this: unknown, key: string, value: unknown) => unknown) | readonly string[]

/** What an app says of its replies; the settings of an outer app hold in an inner one. */
export interface Settings {
  readonly etag?: unknown
  readonly 'etag fn'?: ((body: string, encoding: 'utf8') => string | undefined) | undefined
  readonly 'json spaces'?: string | number | undefined
  readonly 'json replacer'?: Replacer | undefined
  readonly 'json escape'?: boolean | undefined
  readonly 'x-powered-by'?: unknown
}

const NONE: Settings = Object.freeze({})

/** A response of plain Node's, outside an Express app, has none. */
export function settingsOf({ app }: Partial<Pick<Response, 'app'>>): Settings {
  return app === undefined ? NONE : app.settings as Settings
}
