const loadJose = () => import('jose')

export type Jose = Awaited<ReturnType<typeof loadJose>>

let loadedJose: Promise<Jose> | undefined

/**
 * Loads the library that signs and verifies on first use: loading it takes a third of the time of Express and zod
 * together.
 */
export function jose(): Promise<Jose> {
  return (loadedJose ??= loadJose())
}
