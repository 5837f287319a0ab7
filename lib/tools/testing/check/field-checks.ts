import { fieldsOf } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { admittedRoutes, sendChange } from './checking.js'
import { recordsIn, type KnownRecord } from './collections.js'
import { hiddenNames } from './read-checks.js'
import type { Run } from './run.js'
import { bodyPlanOf, type BodyPlan } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** Names that handlers tend to take from a body as it is. */
const USUAL: KnownRecord = {
  id: 987_001,
  role: 'admin',
  isAdmin: true,
  admin: true,
  permissions: ['*'],
  ownerId: 987_002,
  userId: 987_003,
  authorId: 987_004,
  tenantId: 'zq7x-tenant',
  createdAt: '2001-02-03T04:05:06.000Z',
  verified: true,
  balance: 987_005,
}

/** Sends fields that are shown but not declared as input: a value that comes back was stored. */
export async function checkUndeclaredFields(run: Run): Promise<void> {
  for (const [target, caller] of admittedRoutes(run, 'POST', 'PUT', 'PATCH')) {
    if (target.entry?.input !== undefined) await checkTarget(run, target, caller)
  }
}

async function checkTarget(run: Run, target: Target, caller: string): Promise<void> {
  const plan = bodyPlanOf(target, run.resolve)
  if (plan !== undefined && (plan.isForm || isLoose(run.resolve(plan.schema)))) return
  const make = await run.known.maker(target, caller)
  const [before] = recordsIn(await run.send(make()))
  if (before === undefined) return
  await checkHiddenFields(run, target, caller, new Set([...Object.keys(before), ...plan?.fields.keys() ?? []]))
  await checkShownFields(run, target, make, { before, plan })
}

function isLoose({ additionalProperties = false }: JsonSchema): boolean {
  return additionalProperties !== false
}

/** Sends fields that replies show. */
async function checkShownFields(run: Run, target: Target, make: (fields: KnownRecord) => CheckRequest,
  { before, plan }: { readonly before: KnownRecord; readonly plan: BodyPlan | undefined }): Promise<void>
{
  const sent = Object.entries({ ...USUAL, ...shownFields(run, target) })
    .filter(([name, value]) => plan?.fields.has(name) !== true && Object.hasOwn(before, name) && before[name] !== value)
  if (sent.length === 0) return
  const fields = Object.fromEntries(sent)
  const request = withBody(make(fields), fields)
  const [after] = recordsIn(await run.send(request))
  const stored = sent.find(([name, value]) => after?.[name] !== undefined && isSame(after[name], value))
  if (stored !== undefined) await report(run, target, request, stored[0])
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Returns a request with these fields alone, if it has no body: the document of its route then names none. */
function withBody(request: CheckRequest, json: KnownRecord): CheckRequest {
  return request.body === undefined ? { ...request, body: { json } } : request
}

/** Returns a value for each field of the output that no other record has. */
function shownFields(run: Run, { operation, entry }: Target): KnownRecord {
  const response = operation?.responses[String(entry?.status)]
  if (response === undefined || '$ref' in response) return {}
  const schema = response.content?.['application/json']?.schema ?? {}
  const data = run.resolve(schema).properties?.data ?? {}
  return Object.fromEntries(
    [...fieldsOf(data, run.resolve)].flatMap(([name, field]): (readonly [string, unknown])[] => {
      const { type, format, ...json } = run.resolve(field.schema)
      if (type === 'integer' || type === 'number') return [[name, 987_006]]
      return type === 'string' && format === undefined && json.enum === undefined ? [[name, 'zq7x field']] : []
    }),
  )
}

/** Sends columns that no reply shows, and looks for their values in the rows of `snapshot`. */
async function checkHiddenFields(run: Run, target: Target, caller: string, shown: ReadonlySet<string>): Promise<void> {
  const { snapshot } = run.settings
  if (snapshot === undefined) return
  const fields = await fieldsBeside(run, shown)
  const request = withBody(await run.valid(target, caller, fields), fields)
  const { status } = await sendChange(run, request)
  const stored = status < 300 ? rowField(await snapshot(), fields, 0) : undefined
  if (stored !== undefined) await report(run, target, request, stored)
}

/** Returns a value for each column that is not shown, which no row has: what one route has stored blames no other. */
async function fieldsBeside(run: Run, shown: ReadonlySet<string>): Promise<KnownRecord> {
  const columns = await hiddenNames(run)
  const number = run.known.next()
  const names = [...new Set([...Object.keys(USUAL), ...columns.keys()])].filter((name) => !shown.has(name))
  return Object.fromEntries(names.map((name, index) => {
    const sample = columns.get(name)?.at(-1) ?? USUAL[name]
    return [name, typeof sample === 'number' ? 977_000 + 1_000 * number + index : `zq7x-${name}-${number}`]
  }))
}

/** Returns the name of a field that a row has with the value that was sent; a row has an id. */
function rowField(value: unknown, fields: KnownRecord, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  const entries: [string, unknown][] = Object.entries(value)
  // A log may keep whole requests inside a row.
  if (Object.hasOwn(value, 'id') && !Array.isArray(value)) {
    return entries.find(([name, one]) => Object.hasOwn(fields, name) && fields[name] === one)?.[0]
  }
  return entries.map(([, one]) => rowField(one, fields, depth + 1)).find((name) => name !== undefined)
}

async function report(run: Run, target: Target, request: CheckRequest, name: string): Promise<void> {
  await run.record(target, { request, about: `the field \`${name}\`` }, { kind: 'field',
    message: `\`${name}\` is stored, although the input does not declare it` })
}
