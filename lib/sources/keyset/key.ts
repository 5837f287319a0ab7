/** A column that orders rows, `-` in front for descending: `'id'`, `'-createdAt'`; never one that may be null. */
export type OrderKey<Row> = `${'' | '-'}${NeverNull<Row>}`

export type NeverNull<Row> = { [K in keyof Row & string]: unknown extends Row[K] ? K : null extends Row[K] ? never : K }[keyof Row & string]

export interface Key {
  /** As it was written, without the sign: `posts.createdAt`. */
  readonly column: string
  readonly descending: boolean
}

/** The whole order of a list, the last key unique; `spelling` tells one order from another. */
export interface Order {
  readonly keys: readonly Key[]
  readonly spelling: string
}

export function readOrder(by: readonly string[] = []): Order {
  const keys = by.map((spelling) => {
    const descending = spelling.startsWith('-')
    return { column: descending ? spelling.slice(1) : spelling, descending }
  })
  return { keys, spelling: by.join() }
}
