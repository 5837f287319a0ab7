import { MisuseError } from '../errors.js'

/**
 * Loads code that needs an optional package. If the package is missing, this warns immediately, and the returned
 * function rejects with a MisuseError `csv_missing`.
 */
export function loadWith<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  const loaded = load().catch((error: unknown) => {
    throw isMissing(error, name)
      ? new MisuseError(
          'csv_missing',
          `CSV is used, and the package ${name} is not installed. Run \`npm install ${name}\`.`,
        )
      : error
  })
  loaded.catch((error: unknown) => process.emitWarning(String(error), { code: 'RESOURCERY_CSV_MISSING' }))
  return () => loaded
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(name)
  )
}
