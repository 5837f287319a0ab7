import type { Request, Response } from 'express'
import type { sendCsv } from '../../csv/send-csv.js'
import type { Column } from '../../csv/columns.js'
import { ForbiddenError, MisuseError, ValidationError } from '../../errors.js'
import { stateOf } from '../../routing/request-state.js'
import { wireName, type Parameter } from '../list-input.js'
import { nameCheckOf } from '../list-names.js'
import { listQuery, type ListedQuery } from '../list-query.js'
import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import type { ExportSettings } from './options.js'
import { exportedRows } from './rows.js'

export interface ExportPlan extends ExportSettings {
  readonly csv: () => Promise<{ readonly sendCsv: typeof sendCsv }>
  /** The parameters of the list that an export has too, by their own names. */
  readonly parameters: readonly Parameter[]
}

/** The handler of `export`: it sends the file itself. */
export function exportHandler(plan: CrudPlan, { csv, parameters, columns, maxRows, fileName, delimiter }: ExportPlan) {
  const { options, store, withinDeadline } = plan
  const { paramNames = {} } = options
  const checkNames = nameCheckOf(plan, parameters, ['bom'])
  return async (req: Request, res: Response, args: object): Promise<void> => {
    await checkNames(req)
    const { sendCsv } = await csv()
    const given = args as LooseRow
    const asked = Object.fromEntries(parameters.map(([name]) => [name, given[wireName(name, paramNames)]]))
    const query = await withinDeadline(async () => {
      await options.before?.list?.({ req, action: 'list', store })
      const found = await listQuery(plan, req, asked)
      await checkSize(plan, found, maxRows)
      return found
    })
    await sendCsv(res, exportedRows(plan, req, query), {
      columns: toMap(shownColumns(columns, query.denied)), bom: given.bom === true, delimiter,
      fileName: fileName ?? `${stateOf(req).route?.resource ?? 'export'}.csv`,
    })
  }
}

/** @throws ForbiddenError when this caller may read none of them. */
function shownColumns(columns: readonly Column[], denied: ReadonlySet<string>): readonly Column[] {
  const shown = columns.filter(({ field }) => !denied.has(field))
  if (shown.length === 0) throw new ForbiddenError()
  return shown
}

function toMap(columns: readonly Column[]): Readonly<Record<string, string>> {
  return Object.fromEntries(columns.map(({ field, heading }) => [field, heading]))
}

async function checkSize({ store }: CrudPlan, { where, order, keys }: ListedQuery, maxRows: number): Promise<void> {
  if (keys !== undefined || maxRows === Infinity) return
  const list = store.list({ where, order })
  if (list.count === undefined) throw new MisuseError('crud_export', 'An export with `maxRows` needs a store whose lists have `count`.')
  const total = await list.count()
  if (total > maxRows) throw new ValidationError({ _: [`These are ${total} rows, and a file has at most ${maxRows}: ask for fewer`] })
}
