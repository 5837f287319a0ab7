import { z } from 'zod'
import { readBody } from '../../body.js'
import { loadWith } from '../../csv/missing.js'
import { MisuseError } from '../../errors.js'
import { param } from '../../param.js'
import type { ExtensionOf } from '../extension.js'
import { listParameters, renamed } from '../list-input.js'
import { exportHandler } from './handler.js'
import { exportSettings } from './options.js'

/** Parameters of a list that an export has not: it is all pages, one row below the other. */
const OF_PAGES = new Set(['page', 'limit', 'cursor', 'tree'])

/** `export`. */
export const exportExtension: ExtensionOf = (plan) => {
  const { options, schemas, store } = plan
  if (options.export === undefined) return undefined
  const { paramNames = {} } = options
  const parameters = listParameters(options, store.key, schemas.id).filter(([name]) => !OF_PAGES.has(name))
  const shape = renamed(parameters, paramNames)
  if ('bom' in shape) throw new MisuseError('crud_names', 'Two parameters of the export are called `bom`.')
  const query = z.object({ ...shape, bom: param.bool().default(false).describe('Whether the file begins with a byte order mark, for Excel') })
  const csv = loadWith('csv-stringify', () => import('../../csv/send-csv.js'))
  const settings = exportSettings(options.export, options.output)
  const handler = exportHandler(plan, { ...settings, csv, parameters })
  // The body is read only to refuse parameters that belong in the query.
  const use = readBody({ limit: 100_000 })
  return { custom: { export: { methods: ['POST'], route: '/export', summary: 'Export as a CSV file', query, body: false, use, produces: 'text/csv', handler } } }
}
