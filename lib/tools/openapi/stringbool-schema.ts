import { z } from 'zod'
import type { JsonSchema } from './types.js'

/** The issue of `z.stringbool()` about a string that it does not read. */
interface StringboolIssue {
  readonly expected?: unknown
  readonly values?: readonly string[]
}

/**
 * Returns the keywords of the strings that a `z.stringbool()` reads, `undefined` for any other schema. zod shows its
 * words only in the issue about another string.
 */
export function stringboolSchema(schema: z.core.$ZodTypes): JsonSchema | undefined {
  const { _zod: { def } } = schema
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'string' || def.out._zod.def.type !== 'boolean') return undefined
  const words = issueAbout(schema, '\u0000')?.values ?? []
  if (words.length === 0) return undefined
  const isStrict = words.some((word) => issueAbout(schema, swapCase(word)) !== undefined)
  return isStrict
    ? { type: 'string', enum: words }
    : { type: 'string', pattern: `^(?:${words.map(anyCase).join('|')})$` }
}

function issueAbout(schema: z.core.$ZodTypes, text: string): StringboolIssue | undefined {
  try {
    const [issue] = z.core.safeParse(schema, text).error?.issues ?? []
    return (issue as StringboolIssue | undefined)?.expected === 'stringbool' ? issue as StringboolIssue : undefined
  } catch {
    // A codec of the application that does not read such a string.
    return undefined
  }
}

function swapCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
}

/** Returns a pattern of a word in letters of any case; JSON Schema has no flags. */
function anyCase(word: string): string {
  return Array.from(word, (character) => {
    const cases = new Set([character.toLowerCase(), character.toUpperCase()])
    return cases.size === 1 ? character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&') : `[${[...cases].join('')}]`
  }).join('')
}
