import { z } from 'zod'
import { MisuseError, propertyOf } from '../../../core/index.js'
import { columnsOf, type Column, type CsvColumns } from '../../../core/csv/columns.js'
import type { CrudPlan, Row } from '../../core/index.js'

/** The fields of relations in an output, by names with a dot: `author.name`. */
type RelationFields<Output> = {
  [
    K in keyof Output & string as NonNullable<Output[K]> extends readonly unknown[] | Date ? never
      : NonNullable<Output[K]> extends object ? `${K}.${keyof NonNullable<Output[K]> & string}`
      : never
  ]: unknown
}

/** The columns of an export: fields of the output, and of the relations in it. */
export type ExportColumns<Output> = CsvColumns<Output & RelationFields<Output>>

/** A column of a file; one of a relation has the name of a field inside the output's field. */
export interface ExportColumn extends Column {
  /** The field of the output. */
  readonly root: string
  /** The field inside it. */
  readonly inner: string | undefined
}

/**
 * Returns the columns that an option names. Without any they are the fields of the output, apart from those that
 * features add to it, such as relations and children: one cell cannot hold them.
 *
 * @throws MisuseError `crud_export` for a column that the output does not have.
 */
export function exportColumns(
  chosen: readonly string[] | Readonly<Record<string, string | undefined>> | undefined,
  { features, options: { output } }: CrudPlan,
): ExportColumn[] {
  const added = features.flatMap(({ addedFields = [], relatedFields = [] }) => [...addedFields, ...relatedFields])
  return columnsOf(chosen ?? Object.keys(output.shape).filter((field) => !added.includes(field))).map((column) => {
    const [root = '', inner, ...deeper] = Object.hasOwn(output.shape, column.field)
      ? [column.field]
      : column.field.split('.')
    if (deeper.length === 0 && hasField(output, root) && (inner === undefined || mayHave(output.shape[root], inner))) {
      return { ...column, root, inner }
    }
    throw misuse(
      `\`export.columns\` of crud has \`${column.field}\`, which \`output\` does not have: add it to \`output\`, or `
        + `remove the column.`,
    )
  })
}

export function misuse(fault: string): MisuseError {
  return new MisuseError('crud_export', fault)
}

function hasField({ shape }: z.ZodObject, name: string): boolean {
  return Object.hasOwn(shape, name)
}

/** False if a field of the output is known to have no such field inside it. */
function mayHave(schema: unknown, inner: string): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return mayHave(schema.unwrap(), inner)
  if (schema instanceof z.ZodObject) return hasField(schema, inner)
  return schema instanceof z.ZodUnion || schema instanceof z.ZodRecord || schema instanceof z.ZodAny
}

export function withRelations(row: Row, columns: readonly ExportColumn[]): Row {
  const cells = columns.flatMap(({ field, root, inner }) =>
    inner === undefined ? [] : [[field, propertyOf(row[root], inner)] as const]
  )
  return cells.length === 0 ? row : { ...row, ...Object.fromEntries(cells) }
}
