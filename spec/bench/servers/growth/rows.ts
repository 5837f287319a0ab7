/* The rows and the page size of all servers whose load grows. */

export interface Row {
  readonly id: number
  readonly name: string
  readonly note: string
  readonly price: number
  readonly active: boolean
}

export const PAGE = 20

/** A row as JSON has about a hundred bytes. */
export function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, at) => rowAt(at))
}

export function firstRow(): Row {
  return rowAt(0)
}

function rowAt(at: number): Row {
  return {
    id: at + 1,
    name: `Row ${at + 1}`,
    note: 'A note of some words, "quoted" too',
    price: at / 4,
    active: at % 2 === 0,
  }
}

/** Returns the rows after an id, which equals the number of rows before. */
export function rowsAfter(rows: readonly Row[], id: number): { page: Row[]; last: number | null } {
  const page = rows.slice(id, id + PAGE)
  return { page, last: id + PAGE < rows.length ? id + PAGE : null }
}
