import { MisuseError } from '../errors.js'

/**
 * Loads what needs a package that not everybody installs; where it is missing a warning says so at once, and whoever needs it later
 * gets a MisuseError `csv_missing`.
 */
export function loadWith<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  const loaded = load().catch((error: unknown) => {
    throw isMissing(error, name) ? new MisuseError('csv_missing', `CSV needs the package ${name}: \`npm install ${name}\`.`) : error
  })
  loaded.catch((error: unknown) => process.emitWarning(String(error), { code: 'RESOURCERY_CSV_MISSING' }))
  return () => loaded
}

function isMissing(error: unknown, name: string): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(name)
}
