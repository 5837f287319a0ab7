import { appFiles } from './parts/app.js'
import { databaseFiles } from './parts/database.js'
import { documentFiles } from './parts/documents.js'
import { testFiles } from './parts/tests.js'
import { toolFiles } from './parts/tools.js'
import { userFiles } from './parts/users.js'

/** Returns the files of a project, text by path. */
export function projectFiles(options) {
  const context = contextOf(options)
  const parts = [toolFiles, databaseFiles, userFiles, appFiles, testFiles, documentFiles]
  const files = parts.flatMap((part) => Object.entries(part(context)))
  return new Map(files.map(([path, text]) => [path, text.replace(/\n{3,}/g, '\n\n')]))
}

function contextOf(options) {
  const isTs = options.language === 'ts'
  return {
    ...options,
    isTs,
    hasDatabase: options.database !== 'memory',
    ext: options.language,
    /** Returns a type annotation, in TypeScript only. */
    ts: (text) => isTs ? text : '',
    /** Returns the text, or nothing. */
    when: (condition, text) => condition ? text : '',
  }
}
