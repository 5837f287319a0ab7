import { realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { MisuseError } from '../base/errors.js'
import { isStoragePath } from './storage-path.js'

/** A file in a folder, after its symbolic links. */
interface Located {
  readonly root: string
  /** Relative to `root`, with slashes. */
  readonly path: string
}

/** Follows the symbolic links to a file. Returns `undefined` where there is none, and where they lead out. */
export async function locate(folder: string, path: string): Promise<Located | undefined> {
  const [root, file] = await Promise.all([follow(folder), follow(join(folder, path))])
  if (root === undefined || file === undefined) return undefined
  const inside = relative(root, file).split(sep).join('/')
  return isStoragePath(inside) ? { root, path: inside } : undefined
}

/**
 * Checks that no symbolic link on the way to a file leads out of its folder.
 *
 * @throws MisuseError `storage_path` otherwise.
 */
export async function checkLinks(folder: string, path: string): Promise<void> {
  const parent = dirname(path)
  if (parent === '.') return
  if (await follow(join(folder, parent)) === undefined) return checkLinks(folder, parent)
  if (await locate(folder, parent) !== undefined) return
  throw new MisuseError(
    'storage_path',
    `\`${parent}\` is a symbolic link that leads out of the folder of this storage. `
      + 'Mount the other folder there, or give it a storage of its own.',
  )
}

/** Returns the real path of a file or folder, `undefined` where there is none. */
async function follow(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}
