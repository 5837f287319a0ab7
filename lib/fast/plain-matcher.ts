/** The arguments that a path brings to a route. */
export type PathParams = Record<string, string>

export type PlainMatcher = (path: string) => PathParams | false

/**
 * Judges paths without `%` as Express does unless a router says otherwise: in any letter case, with a slash at the end or without.
 *
 * It knows segments that are text and segments that are one parameter; `undefined` for a route of others.
 */
export function plainMatcher(route: string): PlainMatcher | undefined {
  const segments = route.split('/').slice(1).map(toSegment)
  if (!segments.every((segment) => segment !== undefined)) return undefined
  return (path) => {
    if (!path.startsWith('/')) return false
    const params = Object.create(null) as PathParams
    let at = 0
    for (const { name, text } of segments) {
      const slash = path.indexOf('/', at + 1)
      const end = slash === -1 ? path.length : slash
      const given = path.slice(at + 1, end)
      if (name !== undefined && given !== '') params[name] = given
      else if (name !== undefined || (given !== text && given.toLowerCase() !== text)) return false
      at = end
    }
    return at >= path.length - 1 ? params : false
  }
}

interface Segment {
  /** Of a parameter. */
  readonly name?: string
  /** In lower case. */
  readonly text: string
}

function toSegment(segment: string): Segment | undefined {
  const name = /^:([A-Za-z_$][\w$]*)$/.exec(segment)?.[1]
  if (name !== undefined) return { name, text: '' }
  return segment === '' || /[:*\\%]/.test(segment) ? undefined : { text: segment.toLowerCase() }
}
