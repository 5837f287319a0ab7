import { extend, MisuseError, show } from '../../../core/index.js'
import { listQuery, type Feature } from '../../core/index.js'

/** The columns that may hold numbers; a decimal is a string in most rows. */
type Summable<Row> = {
  [K in keyof Row & string]: NonNullable<Row[K]> extends number | bigint | string ? K : never
}[keyof Row & string]

export interface AggregatesOption<Row> {
  /**
   * Sums over all rows of the list, whatever its page, in `meta.aggregates`: strings with all digits, `{ total: '12.50'
   * }`, for callers who may read the field. Each costs a list no more than one statement together.
   *
   * @default none
   */
  readonly aggregates?: Readonly<Partial<Record<Summable<Row>, 'sum'>>> | undefined
}

/** Adds sums of columns to the reply of a list. */
export const aggregates: Feature<
  { readonly aggregates?: Readonly<Record<string, unknown>> | undefined },
  readonly string[]
> = {
  options: { aggregates: 'object' },
  settingsOf({ aggregates: option, output }) {
    if (option === undefined) return undefined
    for (const [column, kind] of Object.entries(option)) {
      const fault = kind !== 'sum'
        ? `is ${show(kind)}: there is only \`'sum'\``
        : !Object.hasOwn(output.shape, column)
        ? 'is no field of `output`, so no caller may read it'
        : undefined
      if (fault !== undefined) throw new MisuseError('crud_aggregates', `\`aggregates.${column}\` of crud ${fault}.`)
    }
    return Object.keys(option)
  },
  install(plan, columns) {
    const { store } = plan
    if (store.sum === undefined) {
      throw new MisuseError('crud_aggregates', '`aggregates` of crud needs a store with the function `sum`.')
    }
    return {
      wrapAction: (spec, action) => (action === 'list' ? extend(spec, { summed: columns }) : spec),
      async listMeta(call, listArgs) {
        const { where, keys, denied } = await listQuery(call, listArgs)
        const readable = columns.filter((column) => !denied.has(column))
        const all = keys === undefined ? where : [...where, [store.key, 'in', keys] as const]
        return { aggregates: readable.length === 0 ? {} : await store.sum?.(readable, all) }
      },
    }
  },
}
