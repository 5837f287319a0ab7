/** How many bytes of uploads a process holds in memory at most; what does not fit goes to a temporary file. */
export const MEMORY_BYTES = 33_554_432

let held = 0

/** Takes that many bytes of the memory that uploads may use, or says that they are not there. */
export function reserveMemory(bytes: number): boolean {
  if (held + bytes > MEMORY_BYTES) return false
  held += bytes
  return true
}

export function releaseMemory(bytes: number): void {
  held -= bytes
}

/** In bytes. */
export function memoryHeld(): number {
  return held
}
