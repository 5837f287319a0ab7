import { columnsOf, type Column } from '../../csv/columns.js'
import { loadWith } from '../../csv/missing.js'
import { exportSettings } from '../export/options.js'
import type { ExtensionOf } from '../extension.js'
import type { LooseOptions } from '../options.js'
import { importOutput, trialInput } from './action.js'
import { importHandler } from './handler.js'
import { headerReader } from './header.js'
import { importSettings } from './options.js'

/** `import`. */
export const importExtension: ExtensionOf = (plan) => {
  const { options, schemas } = plan
  if (options.import === undefined) return undefined
  const settings = importSettings(options.import)
  const exported = headingsOf(options)
  const columns = columnsOf(settings.columns ?? Object.fromEntries(Object.keys(schemas.create.shape).map((field) => [field, exported.get(field)])))
  const readHeader = headerReader(schemas.create, columns, [...Object.keys(schemas.output.shape), ...exported.values()])
  const csv = loadWith('csv-parse', () => import('../../csv/read-csv.js'))
  const handler = importHandler(plan, settings, { csv, readHeader, input: schemas.create, maxRows: settings.maxRows })
  const files = { file: { maxBytes: settings.maxBytes, required: true } }
  const summary = 'Import a CSV file'
  return {
    custom: {
      import: { methods: ['POST'], route: '/import', summary, input: trialInput, query: trialInput, output: importOutput, files, message: 'Imported', handler },
    },
  }
}

/** What an export calls its columns: its files come back as they are. */
function headingsOf(options: LooseOptions): ReadonlyMap<string, string> {
  const columns: readonly Column[] = options.export === undefined ? [] : exportSettings(options.export, options.output).columns
  return new Map(columns.map(({ field, heading }) => [field, heading]))
}
