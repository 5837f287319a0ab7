/**
 * Returns the text of a key by which keys are compared: a driver may return a number as a string. An instant keeps its
 * milliseconds, which its own string does not have.
 */
export function keyText(key: unknown): string {
  return key instanceof Date ? String(key.getTime()) : String(key)
}
