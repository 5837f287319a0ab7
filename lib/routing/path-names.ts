/** A path argument or wildcard of path-to-regexp: `:id`, `*rest`, `:"any name"`; behind a backslash it is plain. */
const ARGUMENT = /(?<!\\)[:*](?:"((?:[^"\\]|\\.)*)"|([\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*))/gu

/** Returns the names of a path's arguments, in order. */
export function pathNamesOf(path: string): string[] {
  return [...path.matchAll(ARGUMENT)].map(([, quoted, plain]) => quoted ?? String(plain))
}

/** Returns a path that matches the pattern: each argument becomes `sample`, optional groups are there. */
export function samplePathOf(path: string, sample: string): string {
  return path.replace(ARGUMENT, sample).replace(/(?<!\\)[{}]/g, '').replace(/\\(.)/g, '$1')
}
