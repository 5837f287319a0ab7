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
 * @throws MisuseError `csv_columns` for no columns, an empty heading, or a repeated one.
 */
export function columnsOf(columns: readonly string[] | Readonly<Record<string, string | undefined>>): Column[] {
  const named = isList(columns) ? columns.map((field) => [field, field] as const) : Object.entries(columns)
  const headed = named.map(([field, heading = field]): Column => ({ field, heading }))
  const headings = headed.map(({ heading }) => heading)
  if (
    headed.length === 0
    || headings.some((heading) => heading.trim() === '')
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

function isList(columns: object): columns is readonly string[] {
  return Array.isArray(columns)
}
