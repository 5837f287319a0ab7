import type { z } from 'zod'
import { checkOptionNames, MisuseError, show } from '../../../core/index.js'
import { planOf, type CrudPlan, type FeatureHooks } from '../../core/index.js'

/** The result of `crud` for a resource whose records are children. */
interface ChildResource {
  readonly handlers: { readonly create: { readonly input: z.ZodType }; readonly show: { readonly output: z.ZodType } }
}

/** The children of a record, in one field. */
export interface ChildrenOptions<Of, Column> {
  /** The result of `crud` for the children: its `references`, `check`, hooks and soft deletion apply. */
  readonly of: Of
  /** The column of the children with the key of the record. It is no field of an element. */
  readonly column: Column
  /** The least number of elements in a list that is sent; from 1 on a creation and a replacement need it. @default 0 */
  readonly min?: number | undefined
  /** The largest number of elements in a list that is sent. @default 100 */
  readonly max?: number | undefined
}

/** The options of children by their fields. */
export type AllChildren = Readonly<Record<string, ChildrenOptions<ChildResource, string>>>

/** The records of another resource that a record is linked with, by their ids in one field. */
export interface LinkOptions<Of, Through> {
  /** The result of `crud` for the other records: an id names one within its scope, `check` and soft deletion. */
  readonly of: Of
  /**
   * The store of the links, or what `crud` returned for it. A table of SQL that is identified by its two columns
   * together has one of them as the `key` of its store; any other has a key of its own.
   */
  readonly through: Through
  /** The column of a link with the key of this record. */
  readonly own: string
  /** The column of a link with the key of the other record. */
  readonly other: string
  /** The least number of ids in a list that is sent; from 1 on a creation and a replacement need it. @default 0 */
  readonly min?: number | undefined
  /** The largest number of ids in a list that is sent. @default 100 */
  readonly max?: number | undefined
}

/** The options of links by their fields. */
export type AllLinks = Readonly<Record<string, LinkOptions<ChildResource, AnyThrough>>>
type AnyThrough = ChildResource | {
  readonly key: string
  readonly find: (keys: readonly unknown[]) => Promise<readonly object[]>
}

/** The options, from which the types of the fields are inferred. */
export interface ChildrenOption<Children, Links> {
  /**
   * Fields with the records of other resources: `{ lines: { of: lines, column: 'invoiceId' } }`. Each reply shows them,
   * and a write takes them in one body and one transaction. A list that is sent replaces the children: an element with
   * an `id` changes that child, one without creates a child, and the others are deleted. A list that PATCH omits is
   * untouched. Errors are at `lines.3.amount`.
   *
   * @default none
   */
  readonly children?: Children & {
    readonly [K in keyof Children]: OnlyKnown<Children[K], ChildrenOptions<unknown, unknown>>
  } | undefined
  /**
   * Fields with the ids of records that this one is linked with, many to many:
   * `{ tagIds: { of: tags, through: postTags, own: 'postId', other: 'tagId' } }`. A list that is sent replaces the
   * links; an id that names no record which exists for the caller is a 422 at `tagIds.1`.
   *
   * @default none
   */
  readonly links?: Links & {
    readonly [K in keyof Links]: OnlyKnown<Links[K], LinkOptions<unknown, unknown>> & LinkColumns<Links[K]>
  } | undefined
}

/** The columns of a link, which the rows of the store have. */
type LinkColumns<Given> = Given extends
  { readonly through: { readonly find: (keys: never) => Promise<readonly (infer R)[]> } }
  ? Readonly<Record<'own' | 'other', keyof R & string>>
  : unknown

type OnlyKnown<Given, Known> = Readonly<Record<Exclude<keyof Given, keyof Known>, never>>

type Handlers<Of> = Of extends { readonly handlers: infer H } ? H : never
type InputOf<Of, Action extends 'create' | 'store'> = Handlers<Of> extends
  Readonly<Record<Action, { readonly input: infer I extends z.ZodType }>> ? I : never
type OutputOf<Of> = Handlers<Of> extends { readonly show: { readonly output: infer O extends z.ZodType } } ? O : never

type Without<Fields, Column> = Omit<Fields, Column & keyof Fields>

/** An element creates a child, or changes the one that its `id` names. */
type ElementOf<Of, Column> = z.ZodArray<
  z.ZodType<
    Without<z.output<InputOf<Of, 'create'>>, Column> | Without<z.output<InputOf<Of, 'store'>>, Column>,
    Without<z.input<InputOf<Of, 'create'>>, Column> | Without<z.input<InputOf<Of, 'store'>>, Column>
  >
>

/** A list that has a least number is needed. */
type ListOf<Given> = Given extends { readonly of: infer Of; readonly column: infer Column }
  ? IsNeeded<Given> extends true ? ElementOf<Of, Column> : z.ZodOptional<ElementOf<Of, Column>>
  : never
type IsNeeded<Given> = Given extends { readonly min: infer Min extends number }
  ? number extends Min ? false : Min extends 0 ? false : true
  : false

type IdsOf<Of> = Handlers<Of> extends { readonly show: { readonly input: infer I extends z.ZodType<{ id: unknown }> } }
  ? z.ZodArray<z.ZodType<z.output<I>['id'], (z.input<I> & { id: unknown })['id']>>
  : never
type SentIds<Given> = Given extends { readonly of: infer Of }
  ? IsNeeded<Given> extends true ? IdsOf<Of> : z.ZodOptional<IdsOf<Of>>
  : never

/** The fields of `input` and `output` that the options add. */
export interface ChildFields<Children, Links> {
  readonly input:
    & { readonly [K in keyof Children]: ListOf<Children[K]> }
    & { readonly [K in keyof Links]: SentIds<Links[K]> }
  readonly output:
    & {
      readonly [K in keyof Children]: Children[K] extends { readonly of: infer Of } ? z.ZodArray<OutputOf<Of>> : never
    }
    & { readonly [K in keyof Links]: Links[K] extends { readonly of: infer Of } ? IdsOf<Of> : never }
}

export type AnyChildren = Readonly<Record<string, Partial<ChildrenOptions<unknown, unknown>>>>

/** The children of a resource in one field. */
export interface Children {
  readonly name: string
  readonly plan: CrudPlan
  readonly column: string
  readonly min: number
  readonly max: number
  /** The hooks of the children by which their own writes count the version of the record up. */
  hooks: FeatureHooks | undefined
}

const MOST = 100

/**
 * Reads the option.
 *
 * @throws MisuseError `crud_children` for anything but children, `crud_option_unknown` for a misspelt name.
 */
export function childrenOf(option: AnyChildren): readonly Children[] {
  return Object.entries(option).map(([name, given]) => {
    checkOptionNames(`\`children.${name}\` of crud`, given, ['of', 'column', 'min', 'max'], 'crud_option_unknown')
    const { of, column } = given
    const plan = planOf(of)
    if (plan === undefined) throw misuse(name, '`of` must be what `crud` returned for a resource')
    if (typeof column !== 'string' || column === '' || column === plan.store.key) {
      throw misuse(name,
        `\`column\` must be the column of the children with the key of the record, not ${show(column)}`)
    }
    return { name, plan, column, ...boundsOf(name, given), hooks: undefined }
  })
}

/** Returns the least and the largest number of elements. @throws MisuseError `crud_children` */
export function boundsOf(
  name: string,
  { min = 0, max = typeof min === 'number' ? Math.max(MOST, min) : MOST }: Readonly<Record<string, unknown>>,
  option: Option = 'children',
): Pick<Children, 'min' | 'max'> {
  if (name === 'id') throw misuse(name, 'the field `id` is the key of the record', option)
  const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && Number(count) >= 0
  if (isCount(min) && isCount(max) && min <= max && max > 0) return { min, max }
  const given = `${show(min)} and ${show(max)}`
  throw misuse(name, `\`min\` and \`max\` must be whole numbers, and \`min\` at most \`max\`, not ${given}`, option)
}

type Option = 'children' | 'links'

const EXAMPLES = {
  children: "{ of: lines, column: 'invoiceId' }",
  links: "{ of: tags, through: postTags, own: 'postId', other: 'tagId' }",
}

export function misuse(name: string, fault: string, option: Option = 'children'): MisuseError {
  const example = `${name}: ${EXAMPLES[option]}`
  return new MisuseError(
    'crud_children',
    `\`${option}.${name}\` of crud does not fit: ${fault}. Write \`${example}\`, where \`of\` is what \`crud\` `
      + 'returned for a resource on the same connection.',
  )
}
