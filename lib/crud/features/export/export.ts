import type { Request, Response } from 'express'
import { z } from 'zod'
import { ForbiddenError, HttpError, messageOf, MisuseError, param, parse, readBody, stateOf, summaryOf, ValidationError,
  zodErrorOf, type Faults } from '../../../core/index.js'
import { columnsOf, type Column, type CsvColumns } from '../../../core/csv/columns.js'
import { loadNow } from '../../../core/csv/missing.js'
import { csvWriter } from '../../../core/csv/packages.js'
import type { CrudPlan, Feature, ToOutput } from '../../feature.js'
import { askedOf, nameCheckOf, renamedShape } from '../../list-parameters.js'
import { listQuery, type ListedQuery } from '../../list-query.js'
import type { Row } from '../../options.js'
import { toOutput } from '../../output.js'

/** The options of the export of a list as a CSV file. */
export interface ExportOptions<Output = Readonly<Record<string, unknown>>> {
  /**
   * The fields of the output that are columns of the file: `['id', 'title']`, or with headings: `{ id: 'Number' }`.
   * @default all of them
   */
  readonly columns?: CsvColumns<Output>
  /** The most rows of one file: a longer list is a 422, before anything is sent. @default no limit */
  readonly maxRows?: number
  /** The name of the file for the caller's program. @default the resource's name, and `.csv` */
  readonly fileName?: string
  /** @default ',' */
  readonly delimiter?: ',' | ';'
}

/** The values of the option. */
export type ExportChoice<Out extends z.ZodObject> = true | ExportOptions<z.output<Out>> | undefined

export interface ExportOption<Chosen> {
  /**
   * Adds `export`: the rows of the list as a CSV file, all pages of it. Needs the package `csv-stringify`. @default
   * none
   */
  readonly export?: Chosen
}

/** The action that the option adds: `GET` and `POST {route}/export`, with the parameters of the list and `bom`. */
interface ExportAction<Query> {
  readonly export: {
    readonly methods: readonly ['GET', 'POST']
    readonly route: '/export'
    readonly query: z.ZodType<Readonly<Record<string, unknown>>, Query & { readonly bom?: boolean | undefined }>
    readonly body: false
    readonly produces: 'text/csv'
    readonly handler: (req: Request, res: Response, args: Readonly<Record<string, unknown>>) => Promise<void>
  }
}

/** The action that the option adds. */
export type ExportActions<Chosen, Query> = Pick<ExportAction<Query>, Chosen extends undefined ? never : 'export'>

interface ExportSettings extends Pick<ExportOptions, 'fileName' | 'delimiter'> {
  readonly columns: readonly Column[]
  readonly maxRows: number
}

/** Adds `export`. */
export const csvExport: Feature<{ readonly export?: true | ExportOptions | undefined }, ExportSettings> = {
  options: { export: { names: ['columns', 'maxRows', 'fileName', 'delimiter'], orTrue: true } },
  actions: ['export'],
  settingsOf({ export: option, output }) {
    if (option === undefined) return undefined
    const { columns: chosen = Object.keys(output.shape), maxRows = Infinity, ...others } = option === true ? {} : option
    const columns = columnsOf(chosen)
    const hidden = columns.find(({ field }) => !Object.hasOwn(output.shape, field))
    if (hidden !== undefined) {
      throw new MisuseError(
        'crud_export',
        `\`export.columns\` of crud has \`${hidden.field}\`, which \`output\` does not have: add it to \`output\`, or `
          + `remove the column.`,
      )
    }
    if (!(maxRows > 0) || Number.isNaN(maxRows)) {
      throw new MisuseError('crud_export', `\`export.maxRows\` of crud must be a number from 1, not ${maxRows}.`)
    }
    return { columns, maxRows, ...others }
  },
  install(plan, settings) {
    const parameters = plan.parameters.filter(({ selectsRows }) => selectsRows)
    const shape = renamedShape(parameters, plan.options.paramNames ?? {})
    if ('bom' in shape) {
      throw new MisuseError(
        'crud_names',
        'The export of crud has a parameter `bom`, and so has the list: rename that of the list with `paramNames`, or '
          + 'the filter.',
      )
    }
    const query = z.object({
      ...shape,
      bom: param.bool().default(false).describe('Writes a byte order mark at the beginning of the file, for Excel'),
    })
    // The body is read only to refuse parameters that belong in the query.
    const use = readBody({ limit: 100_000 })
    const spec = {
      methods: ['GET', 'POST'],
      route: '/export',
      summary: 'Export as a CSV file',
      query,
      body: false,
      use,
      produces: 'text/csv',
      handler: exportHandler(plan, settings),
    } as const
    return {
      actions: { export: { spec } },
      headings: new Map(settings.columns.map(({ field, heading }) => [field, heading])),
    }
  },
}

/** Returns the handler of `export`, which sends the file itself. */
function exportHandler(plan: CrudPlan, { columns, maxRows, fileName, delimiter }: ExportSettings) {
  const { options, store, withinDeadline } = plan
  const parameters = plan.parameters.filter(({ selectsRows }) => selectsRows)
  const checkNames = nameCheckOf(plan, parameters, ['bom'])
  const csv = loadNow(async () => {
    await csvWriter()
    return import('../../../core/csv/send-csv.js')
  })
  return async (req: Request, res: Response, args: Row): Promise<void> => {
    await checkNames(req)
    const { sendCsv } = await csv()
    const asked = askedOf(plan, parameters, req, args)
    const query = await withinDeadline(async () => {
      await options.before?.list?.({ req, action: 'list', store })
      const found = await listQuery(plan, req, asked)
      await checkSize(plan, found, maxRows)
      return found
    })
    await sendCsv(res, exportedRows(plan, req, query), {
      columns: readableColumns(columns, query.denied),
      bom: args.bom === true,
      delimiter,
      fileName: fileName ?? `${stateOf(req).route?.resource ?? 'export'}.csv`,
    })
  }
}

/**
 * Returns the headings of the columns that this caller may read. @throws ForbiddenError when it may read none of them
 */
function readableColumns(columns: readonly Column[], denied: ReadonlySet<string>): Readonly<Record<string, string>> {
  const readable = columns.filter(({ field }) => !denied.has(field))
  if (readable.length === 0) throw new ForbiddenError()
  return Object.fromEntries(readable.map(({ field, heading }) => [field, heading]))
}

async function checkSize({ store }: CrudPlan, { where, order, keys }: ListedQuery, maxRows: number): Promise<void> {
  if (keys !== undefined || maxRows === Infinity) return
  const list = store.list({ where, order })
  if (list.count === undefined) {
    throw new MisuseError(
      'crud_export',
      '`export.maxRows` of crud needs a store whose lists have `count`: add it to the store, or remove `maxRows`.',
    )
  }
  const total = await list.count()
  if (total > maxRows) throw new ValidationError({ _: [messageOf('field.export_rows', { rows: total, max: maxRows })] })
}

/** The rows that are read at once. */
const PAGE = 500

/**
 * Returns all rows of a list as output, read page by page behind the last row: neither a transaction nor a connection
 * is held while the caller reads.
 *
 * A row that exists during the whole export is contained once, unless its sort keys change meanwhile.
 */
async function* exportedRows(plan: CrudPlan, req: Request, { where, order, keys }: ListedQuery): AsyncGenerator<Row> {
  const { store, withinDeadline } = plan
  const toChecked = checkedOutput(plan, req)
  if (keys !== undefined) {
    yield* await withinDeadline(async () => toChecked(await store.find(keys, where)))
    return
  }
  const source = store.list({ where, order })
  let position: readonly unknown[] | null = null
  do {
    const page: { rows: Row[]; next: readonly unknown[] | null } = await withinDeadline(async () => {
      if (source.sliceAfter === undefined) {
        throw new MisuseError(
          'crud_export',
          '`export` of crud needs a store whose lists have `sliceAfter`: add it to the store.',
        )
      }
      const { items, next } = await source.sliceAfter(position, PAGE)
      return { rows: await toChecked(items), next }
    })
    yield* page.rows
    position = page.next
  } while (position !== null)
}

/** Returns what converts rows to output as a list does: hook, transform, field rules and output. */
function checkedOutput(plan: CrudPlan, req: Request): ToOutput {
  const { options, store, schemas } = plan
  const output = z.array(schemas.output)
  return async (rows) => {
    await options.after?.list?.(rows, { req, action: 'list', store })
    return await parse(output, await toOutput(plan, rows, req), brokenOutput) as Row[]
  }
}

function brokenOutput(faults: Faults): Error {
  return new HttpError(500, `The exported rows do not fit the output (${summaryOf(faults)})`, {
    cause: zodErrorOf(faults),
  })
}
