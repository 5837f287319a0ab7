import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Express, type RequestHandler } from 'express'
import { onTestFinished } from 'vitest'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { RequestParam } from 'resourcery'
import { send } from 'resourcery'
import type { FileFields } from 'resourcery'
import type { UploadOptions } from '../../lib/core/upload/rules.js'
import { upload } from 'resourcery'
import { serving, type Body } from '../support/http.js'
import { FORM_TYPE, formOf, type FormPart } from '../support/multipart.js'

export const AVATAR: FileFields = { avatar: { types: ['image/jpeg', 'image/png'], maxBytes: 2000, required: true } }

/** The files and fields that the handler has received. */
export const echo: RequestHandler = (req, res) => {
  send(res, 'ok', { files: RequestParam.files(req, 'avatar'), body: RequestParam.body(req) })
}

export function uploadApp(
  fields: FileFields = AVATAR,
  handler: RequestHandler = echo,
  options?: UploadOptions,
): Express {
  const app = express()
  app.post('/', upload(fields, options), handler)
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

export interface Uploader {
  readonly url: string
  readonly post: (...parts: readonly FormPart[]) => Promise<{ status: number; headers: Headers; body: Body }>
}

export async function uploading(app: Express, path = '/', headers: Record<string, string> = {}): Promise<Uploader> {
  const { url } = await serving(app)
  return {
    url,
    post: async (...parts) => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': FORM_TYPE, ...headers },
        body: new Uint8Array(formOf(...parts)),
      })
      return { status: response.status, headers: response.headers, body: await response.json() as Body }
    },
  }
}

export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-spec-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the names of the package's temporary files that are visible. */
export function temporaryNames(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('resourcery-') && name.endsWith('.upload'))
}
