import { MisuseError } from '../errors.js'

/** A leading dot is for what is not to be seen: our own unfinished files, and names like `.htaccess`. */
const SEGMENT = /^(?!\.)[^\\:*?"<>|\0-\x1F\x7F]{1,255}$/

const LONGEST = 1024

/** Whether a path stays below the folder of a storage and means the same on every system: `2026/report.pdf`. */
export function isStoragePath(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST && path.split('/').every((segment) => SEGMENT.test(segment) && !/[. ]$/.test(segment))
}

/** @throws MisuseError `storage_path` for any other. */
export function checkedStoragePath(path: string): string {
  if (isStoragePath(path)) return path
  throw new MisuseError('storage_path', `\`${path}\` cannot be a path in a storage: its parts have no dot in front and none of \\ : * ? " < > |.`)
}
