import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { vi } from 'vitest'

/** Returns how many passwords are hashed by `scryptSync` while `run` runs. */
export async function passwordsHashed(run: () => Promise<unknown>): Promise<number> {
  const hash = vi.spyOn(crypto, 'scryptSync')
  syncBuiltinESMExports()
  try {
    await run()
    return hash.mock.calls.length
  } finally {
    hash.mockRestore()
    syncBuiltinESMExports()
  }
}
