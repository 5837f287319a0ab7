import { MisuseError } from '../base/errors.js'

/** A leading dot is reserved for hidden files: our own unfinished files, and names like `.htaccess`. */
const SEGMENT = /^(?!\.)[^\\:*?"<>|\0-\x1F\x7F]{1,255}$/

const LONGEST = 1024

/** Returns true if a path is inside the folder of a storage and means the same on every system: `2026/report.pdf`. */
export function isStoragePath(path: string): boolean {
  return (
    Buffer.byteLength(path) <= LONGEST
    && path.split('/').every((segment) => SEGMENT.test(segment) && !/[. ]$/.test(segment))
  )
}

/** Returns a path that is valid in a storage. @throws MisuseError `storage_path` for any other. */
export function checkStoragePath(path: string): string {
  if (isStoragePath(path)) return path
  throw new MisuseError(
    'storage_path',
    `\`${path}\` is no path inside a storage. `
      + 'Use a relative path whose parts neither begin with a dot nor contain any of \\ : * ? " < > |.',
  )
}
