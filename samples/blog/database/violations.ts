/*
 * The codes of drivers for a broken constraint: the SQLSTATE of PostgreSQL (Appendix A, class 23), the error number of
 * MySQL.
 */

/** Returns true if a value is already taken. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, ['23505', 'ER_DUP_ENTRY'])
}

/** Returns true if a row is still referred to, or refers to one that is gone. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, ['23503', 'ER_ROW_IS_REFERENCED_2', 'ER_NO_REFERENCED_ROW_2'])
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
