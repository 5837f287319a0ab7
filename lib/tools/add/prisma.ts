import type { Column, Default, Kind, Table } from './table.js'

/** A field of a model: its name, type, `?` or `[]`, and attributes. */
interface Field {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  readonly isList: boolean
  readonly attributes: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  String: 'string',
  Int: 'int',
  BigInt: 'bigint',
  Float: 'number',
  Decimal: 'decimal',
  Boolean: 'bool',
  DateTime: 'date',
  Json: 'json',
}

/** Reads a model of a schema of Prisma, `undefined` where there is none; the case of its first letter is ignored. */
export function readPrisma(schema: string, model: string): Table | undefined {
  const text = schema.replaceAll(/\/\/.*$/gm, '')
  const blocks = new Map(
    [...text.matchAll(/^\s*model\s+(\w+)\s*\{([^}]*)\}/gm)].map(([, name = '', body = '']) => [name, body]),
  )
  const name = [...blocks.keys()].find((one) => [one, `${lowerFirst(one)}`, mapOf(blocks.get(one))].includes(model))
  const body = blocks.get(name ?? '')
  if (name === undefined || body === undefined) return undefined
  const enums = new Map(
    [...text.matchAll(/^\s*enum\s+(\w+)\s*\{([^}]*)\}/gm)].map((
      [, one = '', values = ''],
    ) => [one, [...values.matchAll(/^\s*(\w+)/gm)].map(([, value = '']) => value)]),
  )
  const fields = fieldsOf(body)
  const table = mapOf(body) ?? name
  const scalar = fields.filter(({ type, isList }) => !isList && (type in KINDS || enums.has(type)))
  return {
    name,
    keys: keysOf(body, fields),
    columns: scalar.map((field) => toColumn(field, fields, enums)),
    uniques: new Map(
      scalar.filter(({ attributes }) => /@unique\b/.test(attributes)).map((
        field,
      ) => [`${table}_${/@map\("([^"]+)"\)/.exec(field.attributes)?.[1] ?? field.name}_key`, field.name]),
    ),
  }
}

export function lowerFirst(name: string): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`
}

function mapOf(body: string | undefined): string | undefined {
  return /@@map\("([^"]+)"\)/.exec(body ?? '')?.[1]
}

function fieldsOf(body: string): Field[] {
  return [...body.matchAll(/^[ \t]*(\w+)[ \t]+(\w+)(\?|\[\])?[ \t]*(.*)$/gm)].map((
    [, name = '', type = '', mark, rest = ''],
  ) => ({ name, type, isNullable: mark === '?', isList: mark === '[]', attributes: rest }))
}

function keysOf(body: string, fields: readonly Field[]): string[] {
  const [, together] = /@@id\(\[([^\]]*)\]/.exec(body) ?? []
  if (together !== undefined) return together.split(',').map((one) => one.trim())
  return fields.filter(({ attributes }) => /@id\b/.test(attributes)).map(({ name }) => name)
}

function toColumn(field: Field, fields: readonly Field[], enums: ReadonlyMap<string, readonly string[]>): Column {
  const { name, type, isNullable, attributes } = field
  const values = enums.get(type)
  const [, length] = /@db\.(?:VarChar|Char|NVarChar)\((\d+)\)/.exec(attributes) ?? []
  const [, scale] = /@db\.Decimal\(\d+,\s*(\d+)\)/.exec(attributes) ?? []
  const isDay = type === 'DateTime' && /@db\.Date\b/.test(attributes)
  const relation = fields.find((one) =>
    new RegExp(`@relation\\(.*fields:\\s*\\[\\s*${name}\\s*\\]`).test(one.attributes)
  )
  const isUuid = type === 'String' && /@db\.Uuid\b/.test(attributes)
  return {
    name,
    kind: values !== undefined ? 'string' : isDay ? 'calendarDate' : isUuid ? 'uuid' : KINDS[type] ?? 'other',
    type,
    isNullable,
    isGenerated: /@default\(autoincrement\(\)\)|@updatedAt\b/.test(attributes),
    default: defaultOf(attributes, type),
    length: length === undefined ? undefined : Number(length),
    scale: Number(scale ?? 10),
    values,
    references: relation?.type,
  }
}

function defaultOf(attributes: string, type: string): Default {
  const [, text] = /@default\(("[^"]*"|[^()]*(?:\([^()]*\))?)\)/.exec(attributes) ?? []
  if (text === undefined) return undefined
  if (text.startsWith('"')) return { value: text.slice(1, -1) }
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  if (/^-?\d+(?:\.\d+)?$/.test(text))
    return type === 'Decimal'
      ? { value: text }
      : type === 'BigInt'
      ? 'expression'
      : { value: Number(text) }
  return /^\w+$/.test(text) ? { value: text } : 'expression'
}
