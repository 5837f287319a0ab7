import type { Query, Sql } from './query.js'

/** Text of a statement; drizzle knows its own kinds, across copies of itself, by this symbol. */
class Text {
  readonly value: readonly [string]

  constructor(text: string) {
    this.value = [text]
  }
}
Object.defineProperty(Text, Symbol.for('drizzle:entityKind'), { value: 'StringChunk' })

/** Writes statements as drizzle's own `sql` tag does: what stands between the texts is a column, a statement or a parameter. */
export type SqlTag = (texts: readonly string[], ...parts: readonly unknown[]) => Sql

export function sqlTagOf({ dialect, config }: Query): SqlTag {
  const Statement = dialect.buildSelectQuery(config).constructor as new (chunks: readonly unknown[]) => Sql
  return (texts, ...parts) => new Statement(texts.flatMap((text, index) => (
    index === 0 ? [new Text(text)] : [parts[index - 1], new Text(text)]
  )))
}
