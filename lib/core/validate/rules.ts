/** One rule of a field: its name, its parameter where it has one, its message. */
export type Rule =
  | readonly [
    'required' | 'optional' | 'email' | 'url' | 'integer' | 'boolean' | 'date' | 'array' | 'confirmed',
    message: string,
  ]
  | readonly ['optional']
  | readonly ['lengthMin' | 'lengthMax', characters: number, message: string]
  | readonly ['min' | 'max', bound: number, message: string]
  | readonly ['in', values: readonly (string | number)[], message: string]
  | readonly ['regex', pattern: RegExp, message: string]
  | readonly ['equals', field: string, message: string]

/**
 * The rules of each field, in the order in which their messages are reported. A single rule needs no list around it.
 *
 * @example
 * const rules = {
 *   name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
 *   age: [['optional'], ['integer', 'A whole number']],
 *   city: ['required', 'City is required'],
 * } as const satisfies Rules
 */
export type Rules = Readonly<Record<string, readonly Rule[] | Rule>>

export type RuleName = Rule[0]

/** The type of the values that a rule is for, and of the result. A rule that is missing here is for any type. */
interface TypeByRule {
  lengthMin: string
  lengthMax: string
  email: string
  url: string
  regex: string
  integer: number
  min: number
  max: number
  boolean: boolean
  date: Date
  array: unknown[]
}

type ListOf<Field> = Field extends Rule ? readonly [Field] : Field extends readonly Rule[] ? Field : never
type NameIn<Field extends readonly Rule[]> = Field[number][0]
type Has<Field extends readonly Rule[], Name extends RuleName> = Extract<NameIn<Field>, Name> extends never ? false
  : true

/** The values of the rule `in`, `never` without it. */
type Listed<Field extends readonly Rule[]> = ListedBy<Field[number]>
type ListedBy<One> = One extends readonly ['in', readonly (infer Value)[], ...unknown[]] ? Value : never
type TypedBy<Field extends readonly Rule[]> = TypeByRule[Extract<NameIn<Field>, keyof TypeByRule>]

type ValueOf<Field extends readonly Rule[]> = [Listed<Field>] extends [never]
  ? [TypedBy<Field>] extends [never] ? unknown : TypedBy<Field>
  : Listed<Field>

/** A list that may contain any rule determines no type. */
type FieldOf<Field extends readonly Rule[]> = RuleName extends NameIn<Field> ? unknown
  : Has<Field, 'required'> extends true ? ValueOf<Field>
  : ValueOf<Field> | null

/** The type of data that passed rules: one property per field, `null` where an optional one was omitted. */
export type Ruled<R extends Rules> = { -readonly [Field in keyof R]: FieldOf<ListOf<R[Field]>> }

/** The type of a rule's values as a word, so that a union of several is told from one. */
type KindOf<Type> = Type extends string ? 'string'
  : Type extends number ? 'number'
  : Type extends boolean ? 'boolean'
  : Type extends Date ? 'date'
  : 'array'
type IsUnion<T, Each = T> = [T] extends [never] ? false : T extends Each ? ([Each] extends [T] ? false : true) : never

type MistakeIn<Field extends readonly Rule[]> = RuleName extends NameIn<Field> ? never
  : [Has<Field, 'required'>, Has<Field, 'optional'>] extends [true, true] ? 'A field is either required or optional'
  : true extends IsUnion<KindOf<TypedBy<Field> | Listed<Field>>> ? 'All rules of a field are for values of one type'
  : never

type MessageOf<Flat> = Flat extends readonly [string, ...unknown[], infer Message extends string] ? Message : string
/** A word in place of the message of a flat rule may be meant as another rule, which would never be checked. */
type MistakeInFlat<Field> = Field extends Rule ? string extends MessageOf<Field> ? never
  : MessageOf<Field> extends `${string} ${string}` ? never
  : 'The message of a single rule has several words; several rules are a list of lists'
  : never

/** `R` itself, with a sentence in place of each field whose rules contradict each other. */
export type Consistent<R extends Rules> = {
  [Field in keyof R]: [MistakeIn<ListOf<R[Field]>> | MistakeInFlat<R[Field]>] extends [never] ? R[Field]
    : MistakeIn<ListOf<R[Field]>> | MistakeInFlat<R[Field]>
}
