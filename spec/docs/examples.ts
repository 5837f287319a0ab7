/** The code below `@example` in a docstring. */
export interface Example {
  readonly file: string
  readonly code: string
}

/** Returns the examples in the docstrings of a file. */
export function examplesOf(file: string, text: string): Example[] {
  const comments = [...text.matchAll(/\/\*\*.*?\*\//gs)].map(([comment]) => comment)
  return comments.flatMap((comment) =>
    comment.split(/^ *\* @example\n/m).slice(1).map((example) => ({ file, code: codeIn(example) }))
  )
}

/** Returns the lines up to the next tag. */
function codeIn(example: string): string {
  const lines = example.replace(/\*\/$/, '').split('\n').map((line) => line.replace(/^ *\* ?/, ''))
  const end = lines.findIndex((line) => line.startsWith('@'))
  return lines.slice(0, end === -1 ? undefined : end).join('\n').trim()
}
