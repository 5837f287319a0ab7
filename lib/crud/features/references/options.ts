import type { z } from 'zod'
import { checkOptionNames, messageOf, MisuseError, type Message } from '../../../core/index.js'
import { isCallable } from '../../contract/index.js'
import { planOf, type CrudPlan } from '../../core/index.js'

/** The type of all keys that a value may be compared with: `number` for `5`. */
type Kind<Value> = Value extends string ? string : Value extends number ? number : Value extends bigint ? bigint
: unknown

/** The result of `crud` for a resource whose keys are of this type. */
export interface Referenced<Key = unknown> {
  readonly handlers: { readonly show: { readonly input: z.ZodType<{ readonly id: Key }> } }
}

type Of<Key> = Referenced<Key> | (() => Referenced<Key>)

/** A reference: a resource, a function that returns it, one of these with a message, or `false`. */
type Reference<Key> = Of<Key> | { readonly of: Of<Key>; readonly message?: string | undefined } | false

export interface ReferencesOption<Row> {
  /**
   * The resources whose rows fields refer to: `{ roomId: rooms }`, with what `crud` returned for rooms, or
   * `() => rooms` where that is declared later. A value that is set or changed must name a row that exists for the
   * caller by the `scope`, `check` and soft deletion of that resource, else it is a 422 at the field; the row is locked
   * until the commit. `null` and unchanged values pass. `false` declares that any row may be named. Each field is one
   * that callers or hooks write.
   *
   * @default none
   */
  readonly references?: { readonly [K in keyof Row & string]?: Reference<Kind<NonNullable<Row[K]>>> }
}

/** The option of any resource. */
export type AnyReferences = Readonly<Record<string, unknown>>

export interface ColumnReference {
  readonly column: string
  readonly message: string | Message
  /** True for a function, which is called at the start of the app. */
  readonly isLater: boolean
  readonly target: () => CrudPlan
}

/**
 * Reads the option; a function is called at the start of the app.
 *
 * @throws MisuseError `crud_references` for anything but references, `crud_option_unknown` for a misspelt name.
 */
export function referencesOf(option: AnyReferences): ColumnReference[] {
  return Object.entries(option).filter(([, reference]) => reference !== undefined && reference !== false)
    .map(([column, reference]) => referenceOf(column, reference))
}

function referenceOf(column: string, declared: unknown): ColumnReference {
  if (!isPair(declared)) return { column, message: messageOf('field.reference'), ...targetOf(column, declared) }
  const name = `\`references.${column}\` of crud`
  checkOptionNames(name, declared, ['of', 'message'], 'crud_option_unknown')
  const { of, message = messageOf('field.reference') } = declared as { of?: unknown; message?: string }
  if (typeof message === 'string' && message.trim() === '') throw misuse(column, 'has an empty `message`')
  return { column, message, ...targetOf(column, of) }
}

/** True for an object with `of` or `message`, which neither a resource nor a store has. */
function isPair(declared: unknown): declared is object {
  return typeof declared === 'object' && declared !== null && ('of' in declared || 'message' in declared)
}

function targetOf(column: string, declared: unknown): Pick<ColumnReference, 'isLater' | 'target'> {
  const checkReference = (reference: unknown): CrudPlan => {
    const plan = planOf(reference)
    if (plan !== undefined) return plan
    throw misuse(column, 'is no resource')
  }
  if (isCallable(declared)) return { isLater: true, target: () => checkReference(declared()) }
  const plan = checkReference(declared)
  return { isLater: false, target: () => plan }
}

export function misuse(column: string, fault: string): MisuseError {
  return new MisuseError(
    'crud_references',
    `\`references.${column}\` of crud ${fault}: give what \`crud\` returned for a resource on the same connection, a `
      + 'function that returns it, `{ of, message }` with one of these, or `false` if callers may name any row.',
  )
}
