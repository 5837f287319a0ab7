const HASH = 0x23
const PERCENT = 0x25

/**
 * The path of a request target that is what it looks like: visible ASCII, nothing encoded in the path, no fragment.
 *
 * Whatever else a target may hold is Express's to read, and has none here. It runs for every request, and so without a pattern:
 * one that gives back what it found costs several times as much.
 */
export function verbatimPath(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined
  const mark = target.indexOf('?')
  const end = mark === -1 ? target.length : mark
  for (let at = 0; at < target.length; at++) {
    const code = target.charCodeAt(at)
    if (code <= 0x20 || code >= 0x7F || code === HASH || (code === PERCENT && at < end)) return undefined
  }
  return mark === -1 ? target : target.slice(0, end)
}
