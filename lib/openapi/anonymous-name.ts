import { createHash } from 'node:crypto'

/** The name of a component that has no id: a digest of what it says, which is the same in every document. */
export function anonymousName(text: string): string {
  return `Schema${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
}
