import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/*
 * A disk of some megabytes for one program: a tmpfs that only the program sees, in namespaces of its own, which need no
 * rights. In a new user namespace the account of the program is root, which may mount.
 */

const isRoot = process.getuid?.() === 0
const id = `${process.getuid?.()}:${process.getgid?.()}`

interface Disk {
  readonly folder: string
  readonly megabytes: number
  /** The account that the program runs as, if root starts it. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined
}

/** Returns the command in front of a program whose folder is a small disk. */
export function onSmallDisk(
  { folder, megabytes, account: { uid, gid } = { uid: 0, gid: 0 } }: Disk,
): readonly string[] {
  const own = isRoot ? `,uid=${uid},gid=${gid}` : ''
  const mount = `mount -t tmpfs -o size=${megabytes}m${own} none '${folder}'`
  // The second user namespace gives the program its own account back.
  const back = isRoot
    ? `setpriv --reuid=${uid} --regid=${gid} --clear-groups`
    : `unshare --user --map-user=${id.split(':')[0]} --map-group=${id.split(':')[1]}`
  const namespaces = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount']
  return ['unshare', ...namespaces, 'sh', '-c', `${mount} && exec ${back} "$0" "$@"`]
}

/** Returns the path of a folder as a process sees it. */
const seenBy = (pid: number, folder: string): string => join(`/proc/${pid}/root`, folder)

/** Returns the names in a folder that a process sees. */
export function namesIn(pid: number, folder: string): string[] {
  return readdirSync(seenBy(pid, folder))
}

/** Deletes what is in such a folder. */
export function empty(pid: number, folder: string): void {
  for (const name of namesIn(pid, folder)) rmSync(join(seenBy(pid, folder), name), { recursive: true })
}
