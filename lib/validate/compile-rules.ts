import { z } from 'zod'
import { messageOf } from '../messages.js'
import { checkRules } from './check-rules.js'
import { toFieldSchema } from './field-schema.js'
import { errorWith } from './issue-messages.js'
import type { Rules } from './rules.js'

const compiled = new WeakMap<Rules, z.ZodObject>()

/** Rules written inside a call are a new object each time: they are known by their text. */
const compiledTexts = new Map<string, z.ZodObject>()
const MOST_TEXTS = 500

/**
 * The zod schema that rules stand for, made once.
 *
 * @throws MisuseError when the rules are not rules, or contradict each other.
 */
export function compileRules(rules: Rules): z.ZodObject {
  const known = compiled.get(rules)
  if (known !== undefined) return known
  const schema = compileText(rules)
  compiled.set(rules, schema)
  return schema
}

function compileText(rules: Rules): z.ZodObject {
  const text = JSON.stringify(rules)
  const known = compiledTexts.get(text)
  if (known !== undefined) return known
  checkRules(rules)
  const shape = Object.fromEntries(Object.entries(rules).map(([field, list]) => [field, toFieldSchema(list)]))
  const schema = z.object(shape, { error: errorWith(messageOf('field.type.object')) })
  if (compiledTexts.size === MOST_TEXTS) compiledTexts.clear()
  compiledTexts.set(text, schema)
  return schema
}
