/**
 * Ties `input` and `output` to the row: a field that is no column, or has another type, is a type error in a sentence,
 * unless `before` or a transformation makes one of the other.
 */
export type FittingColumns<Row, In, Out> =
  & Unless<Unfit<Row, In, 'input', 'before'>, 'input', 'before'>
  & Unless<Unfit<Row, Out, 'output', 'transform'>, 'output', 'transform' | 'transformMany'>

type Unless<Text, Name extends string, Way extends string> = [Text] extends [never] ? unknown
  : Readonly<Record<Name, Text>> | { [K in Way]: Readonly<Record<K, unknown>> }[Way]

type Unfit<Row, Fields, Name extends string, Way extends string> = string extends keyof Fields ? never : {
  readonly [K in keyof Fields & string]: K extends keyof Row
    ? Fits<Name extends 'input' ? [Fields[K], Row[K] | undefined] : [Row[K], Fields[K]]> extends true ? never
    : `The column "${K}" and the field of \`${Name}\` have different types: change one of them, or give \`${Way}\``
    : undefined extends Fields[K] ? never
    : `The row has no column "${K}": rename the field of \`${Name}\`, or give \`${Way}\``
}[keyof Fields & string]

/** True for a value that the type takes, and for one that may be anything. */
type Fits<Pair extends [unknown, unknown]> = unknown extends Pair[0] ? true
  : Pair extends [infer Value, infer Type] ? [Value] extends [Type] ? true : false
  : never
