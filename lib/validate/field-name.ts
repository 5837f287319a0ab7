/** A key of the caller's choice, repeated before every message, must not make the reply many times as long as the request. */
const LONGEST = 200

/** The name under which the messages of a value stand: `items.0.name`, or `_` for the whole. */
export function toFieldName(path: readonly PropertyKey[]): string {
  const [first] = path
  if (first === undefined) return '_'
  const name = path.length === 1 ? String(first) : path.map(String).join('.')
  return name.length > LONGEST ? name.slice(0, LONGEST) : name
}
