/** One line of `text/csv` with its line break (RFC 4180 §2). */
export function csvLine(cells: readonly (string | number | Date | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | number | Date | null): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'number' ? String(value) : quoted(harmless(value))
}

/** A spreadsheet runs a cell that begins like a formula; the apostrophe makes it text again. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
