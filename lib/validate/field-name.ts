/** A key of the caller's choice, repeated before every message, must not make the reply many times as long as the request. */
const LONGEST = 200

/** The name under which the messages of a value stand: `items.0.name`, or `_` for the whole. */
export function toFieldName(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '_' : path.map(String).join('.').slice(0, LONGEST)
}
