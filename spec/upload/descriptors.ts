import { existsSync, readdirSync, readlinkSync } from 'node:fs'

const DESCRIPTORS = '/proc/self/fd'

/** Whether the system tells which files this process holds open. */
export const TELLS_DESCRIPTORS = existsSync(DESCRIPTORS)

/** What this process holds open of our temporary files, which have no name any more. */
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
