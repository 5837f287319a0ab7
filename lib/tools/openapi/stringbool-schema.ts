import { z } from 'zod'
import { isList, propertyOf } from '../../core/index.js'
import { anyCase, swapCase } from './any-case.js'
import type { JsonSchema } from './types.js'

/**
 * Returns the keywords of the strings that a `z.stringbool()` reads, `undefined` for any other schema. zod shows its
 * words only in the issue about another string.
 */
export function stringboolSchema(schema: z.core.$ZodTypes): JsonSchema | undefined {
  const { _zod: { def } } = schema
  if (def.type !== 'pipe' || def.in._zod.def.type !== 'string' || def.out._zod.def.type !== 'boolean') return undefined
  const words = wordsIn(schema, '\u0000') ?? []
  if (words.length === 0) return undefined
  const isStrict = words.some((word) => wordsIn(schema, swapCase(word)) !== undefined)
  return isStrict
    ? { type: 'string', enum: words }
    : { type: 'string', pattern: `^(?:${words.map((word) => anyCase(escape(word)) ?? escape(word)).join('|')})$` }
}

/** Returns the words in the issue of `z.stringbool()` about a string that it does not read. */
function wordsIn(schema: z.core.$ZodTypes, text: string): readonly string[] | undefined {
  try {
    const [issue] = z.core.safeParse(schema, text).error?.issues ?? []
    if (propertyOf(issue, 'expected') !== 'stringbool') return undefined
    const values = propertyOf(issue, 'values')
    return isList(values) ? values.filter((value) => typeof value === 'string') : []
  } catch {
    // A codec of the application that does not read such a string.
    return undefined
  }
}

/** Escapes the characters that mean something in a pattern. */
function escape(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
