/** One rule of a field: its name, its parameter where it has one, its message. */
export type Rule =
  | readonly ['required', message: string]
  | readonly ['optional', message?: string]
  | readonly ['lengthMin' | 'lengthMax', characters: number, message: string]
  | readonly ['email' | 'integer', message: string]
  | readonly ['min' | 'max', bound: number, message: string]

/**
 * The rules of each field, in the order in which their messages are reported.
 *
 * @example
 * const rules = {
 *   name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
 *   age: [['optional'], ['integer', 'A whole number']],
 * } as const satisfies Rules
 */
export type Rules = Readonly<Record<string, readonly Rule[]>>

type RuleName = Rule[0]
type TextRule = 'lengthMin' | 'lengthMax' | 'email'
type NumberRule = 'integer' | 'min' | 'max'

type NameIn<Field extends readonly Rule[]> = Field[number][0]
type Has<Field extends readonly Rule[], Name extends RuleName> = Extract<NameIn<Field>, Name> extends never ? false : true

type ValueOf<Field extends readonly Rule[]> =
  Has<Field, TextRule> extends true ? string : Has<Field, NumberRule> extends true ? number : unknown

/** A list that may hold any rule says nothing about its value. */
type FieldOf<Field extends readonly Rule[]> = RuleName extends NameIn<Field>
  ? unknown
  : Has<Field, 'required'> extends true ? ValueOf<Field> : ValueOf<Field> | null

/** What rules make of data: one property per field, `null` where an optional one was omitted. */
export type Ruled<R extends Rules> = { -readonly [Field in keyof R]: FieldOf<R[Field]> }

type MistakeIn<Field extends readonly Rule[]> = RuleName extends NameIn<Field>
  ? never
  : [Has<Field, 'required'>, Has<Field, 'optional'>] extends [true, true]
    ? 'A field is either required or optional'
    : [Has<Field, TextRule>, Has<Field, NumberRule>] extends [true, true]
      ? 'A field has rules for a text or rules for a number'
      : never

/** `R` itself where it makes sense, and a sentence in place of a field that contradicts itself. */
export type Consistent<R extends Rules> = { [Field in keyof R]: [MistakeIn<R[Field]>] extends [never] ? R[Field] : MistakeIn<R[Field]> }
