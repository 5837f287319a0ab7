import { MisuseError } from '../base/errors.js'

/**
 * Loads an optional package with the code that needs it, and warns immediately if that fails; each call of the returned
 * function rejects then.
 */
export function loadNow<T>(load: () => Promise<T>): () => Promise<T> {
  const loaded = load()
  loaded.catch((error: unknown) => process.emitWarning(String(error), { code: 'RESOURCERY_CSV_MISSING' }))
  return () => loaded
}

/**
 * Converts the error of an `import` to a MisuseError `csv_missing` if the package is not installed. Node.js, loaders of
 * test runners and bundlers report that under different codes, and name the package. ncc leaves a call of `require` in
 * place of a package that it did not find, which an ES module cannot run.
 */
export function toMissing(name: string, error: unknown): unknown {
  const text = String(error)
  if (!text.includes(name) && text !== 'ReferenceError: require is not defined') return error
  return new MisuseError(
    'csv_missing',
    `CSV is used, and the package ${name} is not installed. Run \`npm install ${name}\`.`,
  )
}
