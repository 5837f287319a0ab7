import type { Request } from 'express'
import type { UploadedFile } from '../types.js'

/** By field, in the order in which they came. */
export type ReceivedFiles = ReadonlyMap<string, readonly UploadedFile[]>

const received = new WeakMap<Request, ReceivedFiles>()

/** Leaves what has been uploaded where a handler finds it. */
export function keepFiles(req: Request, files: ReceivedFiles): void {
  received.set(req, files)
}

export function fileOf(req: Request, name: string): UploadedFile | null {
  return received.get(req)?.get(name)?.[0] ?? null
}

export function filesOf(req: Request, name: string): UploadedFile[] {
  return [...(received.get(req)?.get(name) ?? [])]
}
