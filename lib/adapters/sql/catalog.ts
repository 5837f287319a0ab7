import { MisuseError } from '../../core/index.js'
import { compareAs, describeColumns, isMariadb105, isNamedIn, namedCheck, valuesOfDefault,
  type Line } from './catalog-lines.js'
import type { ComparedColumn, ComparedColumns } from './comparable.js'
import { combineKinds, kindOf, isColumnType, type Columns, type ColumnType, type DatabaseColumn, type Declared,
  type Dialect, type Kind } from './kinds.js'
import type { Names } from './violations.js'

/** A table, with the types that are declared for its columns. */
interface DeclaredTable {
  readonly name: string
  readonly dialect: Dialect
  readonly columns: Declared
}

/** The catalog of a table: its columns in the database, under the fields of a row, and their declared types. */
export class Catalog implements Names, ComparedColumns {
  readonly #table: string
  readonly #dialect: Dialect
  readonly #declared: Declared
  readonly #columns = new Map<string, ComparedColumn | undefined>()
  readonly #stored = new Map<string, Kind>()
  readonly #required: ReadonlyMap<string, string>
  readonly #unique: ReadonlyMap<string, string>
  readonly #described: ReadonlySet<string>
  readonly #fields: ReadonlyMap<string, string>
  readonly #constraints = new Map<string, string[]>()
  readonly #defaults: ReadonlyMap<string, string>
  readonly #changes: readonly (readonly [field: string, time: string])[]
  readonly #parsesJson: boolean
  #created = ''
  /** The name in the database, `undefined` for a view or a table of several parts: errors name those. */
  #named: string | undefined
  /** True if the database returns the rows that it inserts; MariaDB does since 10.5, MySQL does not. */
  readonly returnsRows: boolean
  /** The types that a row is read and written by: those declared, and the calendar dates and JSON of the database. */
  readonly types: Columns

  /** `fields` names the columns as a row has them; one that is missing is not in the row. */
  constructor(table: DeclaredTable, lines: readonly Line[], fields: ReadonlyMap<string, string>) {
    const { dialect, columns: declared } = table
    this.#table = table.name
    this.#dialect = dialect
    this.#declared = declared
    const described: ReadonlyMap<string, DatabaseColumn> = describeColumns(lines)
    this.#described = new Set(described.keys())
    this.#fields = new Map([...fields].filter(([column]) => described.has(column)))
    const types = new Map(Object.entries(declared))
    this.#readConstraints(lines)
    // A column of SQLite has a collation of its own only if the text that created the table names one.
    const isLoose = dialect === 'mysql'
      || (dialect === 'sqlite' && (this.#named === undefined || /\bcollate\b/i.test(this.#created)))
    for (const [column, field] of this.#fields) {
      const stored = described.get(column) ?? { type: '' }
      const kind = kindOf(dialect, stored)
      this.#stored.set(field, kind)
      if (kind === 'calendarDate' && !types.has(field)) types.set(field, kind)
      const both = combineKinds(types.get(field), kind)
      this.#columns.set(field, both && compareAs(both, stored, dialect, isLoose))
    }
    const valuesIn = (each: string): [field: string, value: string][] =>
      lines.filter(({ part }) => part === each).map(({ name, value }) => [this.field(String(name)), String(value)])
    this.#required = new Map(valuesIn('required'))
    this.#unique = new Map(valuesIn('unique'))
    this.#defaults = new Map(valuesIn('default'))
    this.#changes = valuesIn('changes')
    this.returnsRows = dialect !== 'mysql' || lines.some(({ part, name }) => part === 'version' && isMariadb105(name))
    this.#parsesJson = lines.some(({ part, value }) => part === 'json' && value === '5')
    const ofJson = [...this.#fields.values()].filter((field) => !types.has(field) && this.#isJson(field))
    const known = [...types, ...ofJson.map((field) => [field, 'json'] as const)]
    this.types = Object.fromEntries(known.filter((entry): entry is [string, ColumnType] => isColumnType(entry[1])))
    this.#checkDeclared()
  }

  #readConstraints(lines: readonly Line[]): void {
    for (const { part, name, value } of lines) {
      if (part === 'table') [this.#named, this.#created] = [String(name), String(value)]
      if (part === 'constraint') {
        this.#constraints.set(String(name), [...this.#constraints.get(String(name)) ?? [], String(value)])
      }
    }
  }

  /** The columns of the primary key on MySQL; none where they are not known. */
  get primaryKey(): readonly string[] {
    return (this.#constraints.get('PRIMARY') ?? []).map(this.field)
  }

  get isEmpty(): boolean {
    return this.#columns.size === 0
  }

  has(field: string): boolean {
    return this.isEmpty || this.#columns.has(field)
  }

  /** The type of a column in the database, whatever type is declared. */
  stored(field: string): Kind | undefined {
    return this.#stored.get(field)
  }

  /** True for a column whose JSON the driver parses: a string is then a value, and no text of one. */
  isParsed(field: string): boolean {
    return this.stored(field) === 'json' || (this.#parsesJson && this.#isJson(field))
  }

  /** True for a column of JSON; MariaDB keeps it in a string with a CHECK, and tells newer drivers so. */
  #isJson(field: string): boolean {
    const column = [...this.#fields].find(([, name]) => name === field)?.[0] ?? field
    return this.stored(field) === 'json'
      || this.#constraints.get(column)?.includes(`json_valid(\`${column}\`)`) === true
  }

  /** Finds a column, `undefined` where there is none, or where its type does not fit its declaration. */
  find(field: string): ComparedColumn | undefined {
    return this.#columns.get(field)
  }

  /** True for a column that may hold null, as far as is known. */
  isNullable(field: string): boolean {
    return !this.#required.has(field)
  }

  /** True for a column of PostgreSQL that is unique by itself. */
  isUnique(field: string): boolean {
    return this.#unique.has(field)
  }

  /** True for a column of a plain table of PostgreSQL that is null in a new row that leaves it out. */
  isNullByDefault(field: string): boolean {
    const isKnown = this.#dialect === 'postgres' && this.#named !== undefined && this.has(field)
    return isKnown && this.isNullable(field) && !this.#defaults.has(field)
  }

  /**
   * Returns the values that a column may have in a new row that leaves it out, or some that stand for all of them;
   * `undefined` if they are not known.
   */
  valuesOfNew(field: string): readonly unknown[] | undefined {
    const expression = this.#defaults.get(field)
    return expression === undefined ? [null] : valuesOfDefault(expression)
  }

  /**
   * True if a change of these fields may change others: by a generated column, a trigger, a rule, a foreign key, or the
   * tables that a view or a partitioned table consists of. A new row has no fields here.
   */
  changesOthers(fields: readonly string[]): boolean {
    return this.#changes.some(([field]) => field === '' || fields.includes(field))
  }

  /** True if it may do so after the database has returned the row. */
  changesLater(fields: readonly string[]): boolean {
    return this.#changes.some(([field, time]) => time === 'later' && (field === '' || fields.includes(field)))
  }

  /** @throws MisuseError `store_column` for a field that is no column: SQLite would take the name for a string. */
  checkExists(field: string): void {
    if (!this.has(field)) {
      throw new MisuseError('store_column', `The table \`${this.#table}\` has no column \`${field}\`.`)
    }
  }

  #checkDeclared(): void {
    const unknown = Object.keys(this.#declared).find((field) => !this.has(field))
    if (unknown !== undefined) {
      throw new MisuseError(
        'store_column',
        `The declaration names \`${unknown}\`, and the table \`${this.#table}\` has the columns `
          + `${[...this.#columns.keys()].join(', ')}.`,
      )
    }
  }

  /**
   * Finds a column to compare. @throws MisuseError `store_column` where there is none, or where its type is not known.
   */
  column(field: string): ComparedColumn {
    this.checkExists(field)
    const declared = Object.hasOwn(this.#declared, field) ? this.#declared[field] : undefined
    const column = this.#columns.has(field)
      ? this.#columns.get(field)
      : { kind: declared ?? 'unknown' as const, isCollated: declared === 'string' }
    if (column === undefined) {
      throw new MisuseError(
        'store_column_type',
        `The column \`${field}\` of the table \`${this.#table}\` is declared as `
          + `${declared ?? ''}, which is not what the database has there.`,
      )
    }
    if (column.kind !== 'unknown') return column
    const sentence =
      `The type of the column \`${field}\` of the table \`${this.#table}\` is not known, so nothing can be compared `
      + `with it: `
    throw new MisuseError('store_column_type', `${sentence}give { columns: { ${field}: 'string' } } or another type.`)
  }

  readonly field = (column: string): string => this.#fields.get(column) ?? column

  /** Names the fields of a constraint, an index, or the expression of a CHECK. */
  readonly constraintFields = (constraint: string): readonly string[] | undefined => {
    const parts = this.#constraints.get(constraint) ?? [namedCheck(this.#created, constraint) ?? constraint]
    const columns = [...this.#fields.keys()].filter((column) =>
      parts.some((part) => part === column || isNamedIn(column, part))
    )
    return columns.length === 0 ? undefined : columns.map(this.field)
  }

  readonly isElsewhere = (table: string | undefined, columns: readonly string[]): boolean => {
    if (this.#named === undefined || this.isEmpty) return false
    const isOther = table !== undefined && table.toLowerCase() !== this.#named.toLowerCase()
    return isOther || columns.some((column) => !this.#isColumn(column))
  }

  #isColumn(column: string): boolean {
    return [...this.#described, ...this.#fields.values()].some((name) => name.toLowerCase() === column.toLowerCase())
  }
}
