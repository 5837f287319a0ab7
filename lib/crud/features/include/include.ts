import type { Request } from 'express'
import { z } from 'zod'
import { errorWith, idList, mayBeMissing, messageOf, MisuseError, stateOf,
  ValidationError } from '../../../core/index.js'
import { keyText, SharedValue, shapeOf, wireName, type AnyOptions, type Call, type Feature,
  type Row } from '../../core/index.js'

/** The request, and the database to read from: the second argument of an inclusion. */
interface IncludeContext<Db> {
  readonly req: Request
  readonly db: Db
}

/** The fields that may be left out. */
type Optional<Fields> = { [K in keyof Fields]-?: undefined extends Fields[K] ? K : never }[keyof Fields]

export interface IncludeOption<Row, Db, Out extends z.ZodObject, Id extends z.ZodType> {
  /**
   * Fields of the output that `list` and `show` send where the caller asks for them: `?include=author,comments`. Each
   * function reads the values of all rows in one call and returns them by the keys of the rows; a row without a value
   * does not have the field. The fields are optional in `output`, and the read rules of `fields` apply.
   *
   * @default none
   */
  readonly include?: {
    readonly [K in Optional<z.input<Out>>]?: (
      rows: readonly Row[],
      context: IncludeContext<Db>,
    ) => ReadonlyMap<z.output<Id>, z.input<Out>[K]> | Promise<ReadonlyMap<z.output<Id>, z.input<Out>[K]>>
  } | undefined
}

/** The option once more, from which the names are inferred. */
export interface IncludeNames<Included extends string, Out extends z.ZodObject> {
  readonly include?: { readonly [K in Included]?: K extends Optional<z.input<Out>> ? unknown : never } | undefined
}

/** The parameters that the option adds to the list and to `show`: a name, several with commas in between, or a list. */
export type IncludeArgs<Included extends string> = [Included] extends [never] ? object : {
  readonly include?: Included | `${Included},${string}` | readonly Included[] | undefined
}

type Inclusion = (rows: readonly Row[], context: IncludeContext<unknown>) => unknown
type Inclusions = ReadonlyMap<string, Inclusion>

/** Adds relations of rows to their output on request. */
export const include: Feature<{ readonly include?: Readonly<Record<string, Inclusion>> | undefined }, Inclusions> = {
  options: { include: 'object' },
  // Its values are those of the option.
  parameters: { include: { schema: z.never(), selectsRows: false } },
  settingsOf: ({ include: option, output }) => (option === undefined ? undefined : inclusionsOf(option, output)),
  changeParameters: (parameters, settings) =>
    parameters.map(
      (parameter) => (parameter.name === 'include' ? { ...parameter, schema: namesSchema(settings) } : parameter),
    ),
  install(plan, settings) {
    const names = [...settings.keys()]
    const parameter = wireName('include', plan.options.paramNames ?? {})
    // By the resource: its children have names of their own, and are read by the same request.
    const asked = new SharedValue<readonly string[]>()
    return {
      addedFields: names,
      includeFields: (call, fields) => asked.set(call, names.filter((name) => fields.includes(name))),
      hiddenParameters: (_call, denied) => Promise.resolve(names.every((name) => denied.has(name)) ? ['include'] : []),
      wrapAction(spec, action) {
        if (action !== 'list' && action !== 'show') return spec
        const query = action === 'show' ? { query: z.object({ [parameter]: namesSchema(settings) }) } : {}
        return {
          ...spec,
          ...query,
          handler: async (call, args) => {
            asked.set(call, await permittedNames(call, parameter, args))
            return spec.handler(call, args)
          },
        }
      },
      addToOutputs: async (call, rows, outputs) => {
        const read = await readInclusions(call, settings, asked.get(call) ?? [], rows)
        return outputs.map((output, index) => withInclusions(output, settings, read, rows[index]?.[call.store.key]))
      },
    }
  },
}

/** @throws MisuseError `crud_include` for anything but a function, and for a field that `output` lacks or requires. */
function inclusionsOf(option: Readonly<Record<string, Inclusion>>, output: AnyOptions['output']): Inclusions {
  const entries = Object.entries(option)
  for (const [name, read] of entries) {
    const field = Object.hasOwn(output.shape, name) ? shapeOf(output)[name] : undefined
    const fault = typeof read !== 'function'
      ? 'is no function that returns a Map'
      : field === undefined
      ? 'is no field of `output`'
      : mayBeMissing(field)
      ? undefined
      : 'is a field of `output` that is not optional'
    if (fault === undefined) continue
    throw new MisuseError(
      'crud_include',
      `\`include.${name}\` of crud ${fault}: declare \`${name}\` as optional in \`output\`, and give a function that `
        + 'returns the values by the keys of the rows.',
    )
  }
  return new Map(entries)
}

function namesSchema(settings: Inclusions): z.ZodType {
  return idList(z.enum([...settings.keys()], { error: errorWith(messageOf('field.include')) }))
    .optional()
    .describe('Relations to send with each record, joined by commas')
}

/** @throws ValidationError for a field that this caller may not read. */
async function permittedNames(call: Call, parameter: string, args: Row): Promise<readonly string[]> {
  const names = [...new Set((args[parameter] ?? []) as readonly string[])]
  const denied = await call.denied('read')
  if (!names.some((name) => denied.has(name))) return names
  throw new ValidationError({ [parameter]: [messageOf('field.include')] })
}

/** The values of a field by the keys of the rows, as text. */
interface Included {
  readonly name: string
  readonly values: ReadonlyMap<string, unknown>
}

/** Reads the fields that are asked for. */
async function readInclusions(
  { req, store: { db } }: Call,
  settings: Inclusions,
  names: readonly string[],
  rows: readonly Row[],
): Promise<readonly Included[]> {
  return rows.length === 0 ? [] : Promise.all(names.map(async (name): Promise<Included> => {
    const values: unknown = await settings.get(name)?.(rows, { req, db })
    if (values instanceof Map)
      return { name, values: new Map([...values].map(([key, value]) => [keyText(key), value])) }
    throw new Error(`\`include.${name}\` of ${stateOf(req).route?.name ?? 'the resource'} did not return a Map.`)
  }))
}

/** Returns the output of a row with the fields that are asked for, and without the others. */
function withInclusions(output: Row, settings: Inclusions, read: readonly Included[], id: unknown): Row {
  const own = Object.entries(output).filter(([field]) => !settings.has(field))
  const key = keyText(id)
  const found = read.filter(({ values }) => values.has(key)).map(({ name, values }) => [name, values.get(key)] as const)
  return Object.fromEntries([...own, ...found])
}
