import type { z } from 'zod'
import { fromCell } from '../../csv/cell.js'
import type { Column } from '../../csv/columns.js'
import { MisuseError, ValidationError } from '../../errors.js'
import { safeParse } from '../../validate/parse.js'

/** The field that each cell of a line belongs to; `undefined` for those that nobody writes. */
export type Header = readonly (string | undefined)[]

/** Reads the first line of a file. */
export type HeaderReader = (line: number, cells: readonly string[]) => Header

/**
 * Tells columns by their headings: `columns` are written, `others` passed over.
 *
 * @throws MisuseError `crud_import` for a column that is no field of `input`. Reading a first line: ValidationError for a heading that is
 * unknown, or there twice, and for one that is missing and cannot be left out.
 */
export function headerReader(input: z.ZodObject, columns: readonly Column[], others: readonly string[]): HeaderReader {
  const stray = columns.find(({ field }) => !Object.hasOwn(input.shape, field))
  if (stray !== undefined) throw new MisuseError('crud_import', `The import has the column \`${stray.field}\`, and the input does not.`)
  const fields = new Map(columns.map(({ field, heading }) => [heading, field]))
  const needed = columns.filter(({ field }) => !isOptional(input.shape[field] as z.ZodType)).map(({ heading }) => heading)
  const known = new Set([...fields.keys(), ...others])
  return (line, cells) => {
    const headings = cells.map((cell) => fromCell(cell).trim())
    const unknown = headings.filter((heading) => !known.has(heading))
    const twice = headings.filter((heading, index) => headings.indexOf(heading) !== index && known.has(heading))
    const missing = needed.filter((heading) => !headings.includes(heading))
    const faults = [
      ...unknown.map((heading) => [heading, `There is no such column: there are ${[...fields.keys()].join(', ')}`] as const),
      ...twice.map((heading) => [heading, 'This column is there twice'] as const),
      ...missing.map((heading) => [heading, 'This column is missing'] as const),
    ]
    if (faults.length > 0) throw new ValidationError(Object.fromEntries(faults.map(([heading, fault]) => [`line.${line}.${heading}`, [fault]])))
    return headings.map((heading) => fields.get(heading))
  }
}

/** Whether a field may be missing; one that only a promise could tell is left to each row. */
function isOptional(field: z.ZodType): boolean {
  try {
    return safeParse(field, undefined).success
  } catch {
    return true
  }
}
