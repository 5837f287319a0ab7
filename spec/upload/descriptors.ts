import { existsSync, readdirSync, readlinkSync } from 'node:fs'

const DESCRIPTORS = '/proc/self/fd'

/** True if the system lists the open files of this process. */
export const TELLS_DESCRIPTORS = existsSync(DESCRIPTORS)

/** Returns the temporary files of the package that this process holds open, although they have no name. */
export function openTemporaryFiles(): string[] {
  return readdirSync(DESCRIPTORS).map(targetOf).filter((target) => /resourcery-.*\.upload/.test(target))
}

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`${DESCRIPTORS}/${descriptor}`)
  } catch {
    return '' // closed meanwhile
  }
}
