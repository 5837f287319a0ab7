import type { Request } from 'express'
import { memoize } from '../base/memoize.js'
import type { UploadedFile } from '../base/types.js'
import { contentOf, foreignFilesOf, fromMulter, isMulterFile, type MulterFile } from './multer-file.js'
import { RequestFiles } from './request-files.js'
import { listName } from './rules.js'

/** The files by field, in the order in which they were sent. */
type ReceivedFiles = ReadonlyMap<string, readonly UploadedFile[]>

interface KeptFiles {
  received?: ReceivedFiles
  adapted?: Adapted
}

const filesByRequest = memoize((_req: Request): KeptFiles => ({}))

/** Stores the uploaded files on the request, for handlers. */
export function keepFiles(req: Request, files: ReceivedFiles): void {
  filesByRequest(req).received = files
}

/** Returns true if `upload` has received the files of this request. */
export function hasKeptFiles(req: Request): boolean {
  return filesByRequest(req).received !== undefined
}

/** Returns the first uploaded file of a field, `null` if there is none. */
export function fileOf(req: Request, name: string): UploadedFile | null {
  return filesOf(req, name)[0] ?? null
}

/** Returns the uploaded files of a field: those of `upload`, otherwise those of the application's own multer. */
export function filesOf(req: Request, name: string): UploadedFile[] {
  const own = filesByRequest(req).received
  if (own !== undefined) return [...(own.get(name) ?? [])]
  return foreignFilesOf(req).filter(isMulterFile)
    .filter(({ fieldname }) => fieldname === name || listName(fieldname) === name)
    .map((file) => adaptFile(req, file))
}

/** The multer files of one request, as they were adapted. */
interface Adapted {
  readonly files: RequestFiles
  readonly known: Map<MulterFile, UploadedFile>
}

function adaptFile(req: Request, file: MulterFile): UploadedFile {
  const { files, known } = filesByRequest(req).adapted ??= { files: new RequestFiles(req.res), known: new Map() }
  const made = known.get(file) ?? fromMulter(file, contentOf(file), files)
  known.set(file, made)
  return made
}
