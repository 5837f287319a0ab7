import { MisuseError } from '../errors.js'

type Field<Row> = keyof Row & string

/** Which fields stand in a file, in their order: `['id', 'title']`, or with headings of their own: `{ id: 'Number', title: 'Title' }`. */
export type CsvColumns<Row> = readonly Field<Row>[] | Readonly<Partial<Record<Field<Row>, string>>>

export interface Column {
  readonly field: string
  readonly heading: string
}

/** @throws MisuseError `csv_columns` for none at all, a heading that is empty, or one that stands there twice. */
export function columnsOf(columns: readonly string[] | Readonly<Record<string, string | undefined>>): Column[] {
  const named = isList(columns) ? columns.map((field) => [field, field] as const) : Object.entries(columns)
  const found = named.map(([field, heading = field]): Column => ({ field, heading }))
  const headings = found.map(({ heading }) => heading)
  if (found.length === 0 || headings.some((heading) => heading.trim() === '') || new Set(headings).size < headings.length) {
    throw new MisuseError('csv_columns', `The columns of a CSV file have headings, each its own, not ${JSON.stringify(headings)}.`)
  }
  return found
}

function isList(columns: object): columns is readonly string[] {
  return Array.isArray(columns)
}
