import { crc32 } from 'node:zlib'

/*
 * Tracers replace functions of Express, or rewrite their source while it is loaded, often before this package is imported. What a function
 * is called or where it stands therefore says nothing: only its source text shows that it is Express's own.
 */

/**
 * Checksums of the source text of the functions between a server and a handler, of the versions that the fast path knows. An unknown one
 * is an unknown version or somebody's wrapper: requests then take the plain path. `npm run test:versions` prints those of what is installed.
 */
const ORIGINALS = {
  'app.handle': [0x40bc7642],
  'router.handle': [0x886ad980],
  'router.use': [0x9dfd37cf],
  'router.route': [0x9f3475b0],
  'layer.handleRequest': [0x4f38ca41],
  'layer.handleError': [0x76bb7493],
  'layer.match': [0xd0641d6f],
  'route.dispatch': [0x2ae7747c],
  'res.json': [0xc3bdd653],
  'res.send': [0xbbb065a9, 0x3749c734],
} as const satisfies Readonly<Record<string, readonly number[]>>

export type OriginalName = keyof typeof ORIGINALS

/** The checksum of a function's source text. */
export function fingerprint(fn: (...args: never[]) => unknown): number {
  return crc32(Function.prototype.toString.call(fn))
}

const verdicts = new WeakMap<object, boolean>()

/** Checks that a function is Express's own, of a version whose inside is known, and that nobody has wrapped or rewritten it. */
export function isOriginal(name: OriginalName, fn: unknown): boolean {
  if (typeof fn !== 'function') return false
  let verdict = verdicts.get(fn)
  if (verdict === undefined) {
    verdict = (ORIGINALS[name] as readonly number[]).includes(fingerprint(fn as () => unknown))
    verdicts.set(fn, verdict)
  }
  return verdict
}
