import { ConflictError, recognise, ValidationError, type FieldMessages, type HttpError } from '../../core/index.js'

/** The constraint that a write violates, as far as the store can tell. */
export interface Violated {
  /** The columns of the constraint, by their names in a row; `undefined` where the store cannot tell. */
  readonly columns?: readonly string[] | undefined
  /** The name of the constraint or of its index in the database. */
  readonly constraint?: string | undefined
  /** The error of the driver; it is logged and never sent to a client. */
  readonly cause?: unknown
}

/** 409: the write violates a constraint between rows. */
class ConstraintConflict extends ConflictError implements Violated {
  readonly columns: readonly string[] | undefined
  readonly constraint: string | undefined

  constructor({ columns, constraint, cause }: Violated = {}) {
    super(undefined, cause === undefined ? {} : { cause })
    this.columns = columns
    this.constraint = constraint
  }
}

/**
 * 409: another row has the same value in a unique column, or in a set of columns that is unique.
 *
 * @example
 * throw new UniqueViolation({ columns: ['email'], constraint: 'users_email_key' })
 */
export class UniqueViolation extends ConstraintConflict {
  static {
    recognise(this, 'UniqueViolation')
  }
}

/**
 * 409: a row refers to a row that does not exist, or other rows still refer to it; `columns` are those of the row that
 * was written.
 */
export class ForeignKeyViolation extends ConstraintConflict {
  static {
    recognise(this, 'ForeignKeyViolation')
  }
}

/**
 * A violation by a row of another table than that of the store, found by the commit, which checks what was deferred: a
 * fault of the program, unless the resource has written that table too.
 */
export class DeferredViolation extends Error {
  readonly table: string
  /** The error for the caller, if the resource has written the table. */
  readonly violation: HttpError

  constructor(table: string, violation: HttpError) {
    super(`The commit has found a violated constraint of the table "${table}"`, { cause: violation.cause })
    this.table = table
    this.violation = violation
  }

  static {
    recognise(this, 'DeferredViolation')
  }
}

/**
 * 422: a column does not accept the value. `columns` names the columns of the constraint, whether or not they were
 * written; `fields`, the part that is sent to the client, names one of them only if it was written.
 */
export class ColumnViolation extends ValidationError implements Violated {
  readonly columns: readonly string[] | undefined
  readonly constraint: string | undefined

  static {
    recognise(this, 'ColumnViolation')
  }

  constructor(fields: FieldMessages, { columns, constraint, cause }: Violated = {}) {
    super(fields, undefined, cause === undefined ? {} : { cause })
    this.columns = columns
    this.constraint = constraint
  }
}

/** 422: a NOT NULL column got no value. */
export class NotNullViolation extends ColumnViolation {
  static {
    recognise(this, 'NotNullViolation')
  }
}

/** 422: a CHECK constraint does not hold for the row. */
export class CheckViolation extends ColumnViolation {
  static {
    recognise(this, 'CheckViolation')
  }
}
