/**
 * Ties `input` and `output` to the row: a field that is no column, or has another type, is a type error in a sentence,
 * unless `before` or a transformation makes one of the other. `Added` are fields that features add.
 */
export type FittingColumns<Row, In, Out, Added = never> =
  & Unless<Unfit<Row, In, 'input', 'before', Added>, 'input', 'before'>
  & Unless<Unfit<Row, Out, 'output', 'transform', Added>, 'output', 'transform' | 'transformMany'>

type Unless<Text, Name extends string, Way extends string> = [Text] extends [never] ? unknown
  : { [K in Way]: Readonly<Record<K, unknown>> }[Way] | Saying<Name, Text>

/**
 * The member with the sentence. Of three members TypeScript 7 shows the one that it made last: that is this one as long
 * as it is made anew, and not `Record`.
 */
// eslint-disable-next-line @typescript-eslint/consistent-indexed-object-style -- see above
type Saying<Name extends string, Text> = { readonly [K in Name]: Text }

type Unfit<Row, Fields, Name extends string, Way extends string, Added> = string extends keyof Fields ? never : {
  readonly [K in keyof Fields & string]: K extends keyof Row
    ? Fits<Name extends 'input' ? [Fields[K], Row[K] | undefined] : [Row[K], Fields[K]]> extends true ? never
    : `The column "${K}" and the field of \`${Name}\` have different types: change one of them, or give \`${Way}\``
    : undefined extends Fields[K] ? never
    : K extends Added ? never
    : `The row has no column "${K}": rename the field of \`${Name}\`, or give \`${Way}\``
}[keyof Fields & string]

/** True for a value that the type takes, and for one that may be anything. */
type Fits<Pair extends [unknown, unknown]> = unknown extends Pair[0] ? true
  : Pair extends [infer Value, infer Type] ? [Value] extends [Type] ? true : false
  : never
