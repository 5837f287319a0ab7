import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Handler } from 'express'
import { ConfigError } from './config.js'

/** The path at which the admin panel is served, on the origin of its API. */
export const PANEL = '/panel'

/** Scripts come from this origin alone: the panel keeps its token where a script could read it. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'"

/**
 * Returns the middleware that serves a built panel.
 *
 * @throws ConfigError if the folder has none.
 */
export function openPanel(folder: string): Handler {
  if (!existsSync(join(folder, 'index.html'))) {
    throw new ConfigError('PANEL_DIR has no index.html: build the panel first, as npm run admin does.')
  }
  return express.static(folder, { setHeaders: (res) => res.setHeader('Content-Security-Policy', POLICY) })
}
