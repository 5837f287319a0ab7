import { isList } from '../base/guards.js'
import { MisuseError } from '../base/errors.js'

type Field<Row> = keyof Row & string

/** The fields of a file in their order: `['id', 'title']`, or with headings: `{ id: 'Number', title: 'Title' }`. */
export type CsvColumns<Row> = readonly Field<Row>[] | Readonly<Partial<Record<Field<Row>, string>>>

export interface Column {
  readonly field: string
  readonly heading: string
}

/**
 * Returns the columns of a file.
 *
 * @throws MisuseError `csv_columns` for no columns, and for a heading that is empty, repeated or no string.
 */
export function columnsOf(columns: unknown): Column[] {
  const named: readonly (readonly [unknown, unknown])[] = isList(columns)
    ? columns.map((field) => [field, field])
    : Object.entries(Object(columns) as object)
  const headed = named.map(([field, heading = field]) => ({ field, heading }) as Column)
  const headings: readonly unknown[] = headed.map(({ heading }) => heading)
  if (
    headed.length === 0
    || headings.some((heading) => typeof heading !== 'string' || heading.trim() === '')
    || new Set(headings).size < headings.length
  ) {
    throw new MisuseError(
      'csv_columns',
      `The columns of a CSV file have the headings ${JSON.stringify(headings)}. `
        + 'Give each column a heading of its own, and at least one column.',
    )
  }
  return headed
}
