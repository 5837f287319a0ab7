import type { Request } from 'express'
import type { UploadedFile } from '../base/types.js'
import { contentOf, foreignFilesOf, fromMulter, isMulterFile, type MulterFile } from './multer-file.js'
import { RequestFiles } from './request-files.js'
import { listName } from './rules.js'

/** The files by field, in the order in which they were sent. */
type ReceivedFiles = ReadonlyMap<string, readonly UploadedFile[]>

const received = new WeakMap<Request, ReceivedFiles>()

/** Stores the uploaded files on the request, for handlers. */
export function keepFiles(req: Request, files: ReceivedFiles): void {
  received.set(req, files)
}

/** Returns true if `upload` has received the files of this request. */
export function hasKeptFiles(req: Request): boolean {
  return received.has(req)
}

/** Returns the first uploaded file of a field, `null` if there is none. */
export function fileOf(req: Request, name: string): UploadedFile | null {
  return filesOf(req, name)[0] ?? null
}

/** Returns the uploaded files of a field: those of `upload`, otherwise those of the application's own multer. */
export function filesOf(req: Request, name: string): UploadedFile[] {
  const own = received.get(req)
  if (own !== undefined) return [...(own.get(name) ?? [])]
  return foreignFilesOf(req).filter(isMulterFile)
    .filter(({ fieldname }) => fieldname === name || listName(fieldname) === name)
    .map((file) => adaptFile(req, file))
}

/** The files of multer's of one request, as they were adapted. */
interface Adapted {
  readonly files: RequestFiles
  readonly known: Map<MulterFile, UploadedFile>
}

const adaptations = new WeakMap<Request, Adapted>()

function adaptFile(req: Request, file: MulterFile): UploadedFile {
  const adapted: Adapted = adaptations.get(req) ?? { files: new RequestFiles(req.res), known: new Map() }
  adaptations.set(req, adapted)
  const { files, known } = adapted
  const made = known.get(file) ?? fromMulter(file, contentOf(file), files)
  known.set(file, made)
  return made
}
