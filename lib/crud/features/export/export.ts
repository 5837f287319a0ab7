import type { Request, Response } from 'express'
import { z } from 'zod'
import { extend, ForbiddenError, HttpError, messageOf, MisuseError, param, parse, stateOf, summaryOf, ValidationError,
  zodErrorOf, type Faults } from '../../../core/index.js'
import { loadNow } from '../../../core/csv/missing.js'
import { csvWriter } from '../../../core/csv/packages.js'
import { restoreNames, listQuery, nameCheckOf, renameShape, toOutput, type Call, type CrudHandler, type CrudPlan,
  type CrudSpec, type Feature, type ListedQuery, type Row, type ToOutput } from '../../core/index.js'
import { exportColumns, misuse, withRelations, type ExportColumn, type ExportColumns } from './columns.js'

/** The options of the export of a list as a CSV file. */
export interface ExportOptions<Output = Readonly<Record<string, unknown>>> {
  /**
   * The fields of the output that are columns of the file: `['id', 'title']`, or with headings: `{ id: 'Number' }`. One
   * inside a relation has a dot: `'author.name'`; a relation of `include` is read for it. @default all of them, without
   * those of `include`, `children` and `links`
   */
  readonly columns?: ExportColumns<Output> | undefined
  /** The most rows of one file: a longer list is a 422, before anything is sent. @default no limit */
  readonly maxRows?: number | undefined
  /** The file name that the client is told. @default the resource's name, and `.csv` */
  readonly fileName?: string | undefined
  /** The character between two cells. @default ',' */
  readonly delimiter?: ',' | ';' | undefined
}

export type ExportChoice<Out extends z.ZodObject> = true | ExportOptions<z.output<Out>> | undefined

export interface ExportOption<Chosen> {
  /**
   * Adds `export`: the rows of the list as a CSV file, all pages of it. Needs the package `csv-stringify`. @default
   * none
   */
  readonly export?: Chosen | undefined
}

/** The action that the option adds: `GET` and `POST {route}/export`, with the parameters of the list and `bom`. */
export interface ExportAction<Query> {
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

interface ExportSettings extends Pick<ExportOptions, 'columns' | 'fileName' | 'delimiter'> {
  readonly maxRows: number
}

export const csvExport: Feature<{ readonly export?: true | ExportOptions | undefined }, ExportSettings> = {
  options: { export: { names: ['columns', 'maxRows', 'fileName', 'delimiter'], orTrue: true } },
  actions: ['export'],
  settingsOf({ export: option }) {
    if (option === undefined) return undefined
    const { maxRows = Infinity, ...others } = option === true ? {} : option
    if (!(maxRows > 0) || Number.isNaN(maxRows)) {
      throw misuse(`\`export.maxRows\` of crud must be a number from 1, not ${maxRows}.`)
    }
    return { maxRows, ...others }
  },
  install(plan, settings) {
    const shown = exportColumns(settings.columns, plan)
    const parameters = plan.parameters.filter(({ selectsRows }) => selectsRows)
    const shape = renameShape(parameters, plan.options.paramNames ?? {})
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
    const spec: CrudSpec = {
      methods: ['GET', 'POST'],
      route: '/export',
      summary: 'Export as a CSV file',
      query,
      body: false,
      produces: 'text/csv',
      handler: exportHandler(plan, settings, shown),
    }
    return {
      actions: { export: { spec: extend(spec, { checksBody: true }) } },
      headings: new Map(shown.map(({ field, heading }) => [field, heading])),
    }
  },
}

/** Returns the handler of `export`, which sends the file itself. */
function exportHandler(
  plan: CrudPlan,
  { maxRows, fileName, delimiter }: ExportSettings,
  shown: readonly ExportColumn[],
): CrudHandler {
  const { options, withinDeadline } = plan
  const parameters = plan.parameters.filter(({ selectsRows }) => selectsRows)
  const checkNames = nameCheckOf(plan, [...parameters, { name: 'bom' }])
  const csv = loadNow(async () => {
    await csvWriter()
    return import('../../../core/csv/send-csv.js')
  })
  return async (call, args): Promise<void> => {
    await checkNames(call)
    const { sendCsv } = await csv()
    const listArgs = restoreNames(call, parameters, args)
    const query = await withinDeadline(async () => {
      await options.before?.list?.(call.context('list'))
      const found = await listQuery(call, listArgs)
      await checkSize(plan, found, maxRows)
      return found
    })
    const columns = readableColumns(shown, query.denied)
    for (const { includeFields } of plan.features) includeFields?.(call, columns.map(({ root }) => root))
    await sendCsv(call.res, exportedRows(call, query, columns), {
      columns: Object.fromEntries(columns.map(({ field, heading }) => [field, heading])),
      bom: args.bom === true,
      delimiter,
      fileName: fileName ?? `${stateOf(call.req).route?.resource ?? 'export'}.csv`,
    })
  }
}

/** Returns the columns that this caller may read. @throws ForbiddenError when it may read none of them */
function readableColumns(columns: readonly ExportColumn[], denied: ReadonlySet<string>): readonly ExportColumn[] {
  const readable = columns.filter(({ root }) => !denied.has(root))
  if (readable.length === 0) throw new ForbiddenError()
  return readable
}

async function checkSize({ store }: CrudPlan, { where, order, keys }: ListedQuery, maxRows: number): Promise<void> {
  if (keys !== undefined || maxRows === Infinity) return
  const list = store.list({ where, order })
  if (list.count === undefined) {
    throw misuse(
      '`export.maxRows` of crud needs a store whose lists have `count`: add it to the store, or remove `maxRows`.',
    )
  }
  const total = await list.count()
  if (total > maxRows) throw new ValidationError({ _: [messageOf('field.export_rows', { rows: total, max: maxRows })] })
}

/** The rows that are read at once. */
const PAGE = 500

/**
 * Returns all rows of a list as output, read page by page after the last row: neither a transaction nor a connection
 * is held while the caller reads.
 *
 * A row that exists during the whole export is contained once, unless its sort keys change meanwhile.
 */
async function* exportedRows(
  call: Call,
  { where, order, keys }: ListedQuery,
  columns: readonly ExportColumn[],
): AsyncGenerator<Row> {
  const { store, plan: { withinDeadline } } = call
  const toChecked = rowConverter(call, columns)
  if (keys !== undefined) {
    yield* await withinDeadline(async () => toChecked(await store.find(keys, where)))
    return
  }
  const source = store.list({ where, order })
  let position: readonly unknown[] | null = null
  do {
    const page: { rows: Row[]; next: readonly unknown[] | null } = await withinDeadline(async () => {
      if (source.sliceAfter === undefined) {
        throw misuse('`export` of crud needs a store whose lists have `sliceAfter`: add it to the store.')
      }
      const { items, next } = await source.sliceAfter(position, PAGE)
      return { rows: await toChecked(items), next }
    })
    yield* page.rows
    position = page.next
  } while (position !== null)
}

/** Returns the conversion of rows to those of the file: hook, transform, field rules and output, as of a list. */
function rowConverter(call: Call, columns: readonly ExportColumn[]): ToOutput {
  const { options, schemas } = call.plan
  const output = z.array(schemas.output)
  return async (rows) => {
    await options.after?.list?.(rows, call.context('list'))
    const outputs = await parse(output, await toOutput(call, rows), brokenOutput) as Row[]
    return outputs.map((row) => withRelations(row, columns))
  }
}

function brokenOutput(faults: Faults): Error {
  return new HttpError(500, `The exported rows do not fit the output (${summaryOf(faults)})`, {
    cause: zodErrorOf(faults),
  })
}
