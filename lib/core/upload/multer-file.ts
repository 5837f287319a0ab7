import { propertyOf } from '../base/guards.js'
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Request } from 'express'
import { MisuseError } from '../base/errors.js'
import { cleanFileName } from './file-name.js'
import { ReceivedFile, type Content } from './received-file.js'
import type { RequestFiles } from './request-files.js'
import { SAMPLE_BYTES, sniffCommon, type SniffedType } from './signatures.js'

/*
 * The files of a multer that belongs to the application: `req.file` and `req.files`, from its memory or disk storage.
 * Its limits have applied, and its files stay where they are.
 */

export interface MulterFile {
  readonly fieldname: string
  readonly originalname: string
  readonly mimetype: string
  /** Of the memory storage. */
  readonly buffer?: unknown
  /** Of the disk storage. */
  readonly path?: unknown
}

/** The content of a multer file, and its first bytes. */
interface MulterContent extends Content {
  readonly head: Buffer
}

/** The seconds without progress after which a storage is considered down. */
const STORAGE_TIMEOUT = 30

/** Returns the values of `req.file` and of `req.files`, a list or lists by field, each once. */
export function foreignFilesOf(req: Request): readonly unknown[] {
  const own: Request & { readonly file?: unknown; readonly files?: object | null | undefined } = req
  const { file, files } = own
  const listed: unknown[] = Object.values(files ?? {})
  const all = [file, ...listed.flat()]
  return [...new Set(all)].filter((value) => value !== undefined && value !== null)
}

export function isMulterFile(value: unknown): value is MulterFile {
  return ['fieldname', 'originalname', 'mimetype'].every((name) => typeof propertyOf(value, name) === 'string')
}

/**
 * Returns the content of a multer file.
 *
 * @throws MisuseError `upload_storage` where its storage keeps the file neither in memory nor on this machine, or where
 * the file is no longer at its path.
 */
export function contentOf(file: MulterFile): MulterContent {
  const { buffer, path } = file
  if (ArrayBuffer.isView(buffer)) return inMemory(Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength))
  if (typeof path !== 'string') throw unreadable(file)
  try {
    return onDisk(path)
  } catch (error) {
    throw Object.assign(unreadable(file), { cause: error })
  }
}

function inMemory(content: Buffer): MulterContent {
  return {
    head: content.subarray(0, SAMPLE_BYTES),
    size: content.length,
    stream: () => Readable.from([content], { objectMode: false }),
    bytes: () => Promise.resolve(Buffer.from(content)),
  }
}

function onDisk(path: string): MulterContent {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(SAMPLE_BYTES)
    const length = readSync(file, head, 0, SAMPLE_BYTES, 0)
    return {
      head: head.subarray(0, length),
      size: fstatSync(file).size,
      stream: () => createReadStream(path),
      bytes: () => readFile(path),
    }
  } finally {
    closeSync(file)
  }
}

function unreadable({ fieldname }: MulterFile): MisuseError {
  return new MisuseError(
    'upload_storage',
    `multer has received the file of \`${fieldname}\`, and it is neither in memory nor at its path on this machine. `
      + 'Use memoryStorage() or diskStorage() and read the file before it is moved, or read it from `req.file`.',
  )
}

/** The parts of a file that are known where `upload` is declared. */
interface Declared {
  readonly kind: SniffedType
  readonly storageTimeout: number
}

/** Makes the file that a handler receives of a file from multer. */
export function fromMulter(
  { originalname, mimetype }: MulterFile,
  content: MulterContent,
  files: RequestFiles,
  { kind, storageTimeout }: Declared = { kind: sniffCommon(content.head), storageTimeout: STORAGE_TIMEOUT },
): ReceivedFile {
  const name = cleanFileName(asUtf8(originalname))
  return new ReceivedFile({ name, clientType: mimetype, kind, content, storageTimeout }, files)
}

const BEYOND_LATIN1 = /[^\0-\xFF]/

/** Returns a name as it was sent: unless told otherwise, multer reads its UTF-8 as Latin-1. */
function asUtf8(name: string): string {
  if (BEYOND_LATIN1.test(name)) return name
  const read = Buffer.from(name, 'latin1').toString()
  return read.includes('\uFFFD') ? name : read
}
