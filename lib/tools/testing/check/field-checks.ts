import { fieldsOf } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { isAdmitted, recordsIn } from './known.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import type { Target } from './model.js'

/** Sends fields that are shown but not declared as input: a value that comes back was stored. */
export async function checkUndeclaredFields(run: Run): Promise<void> {
  for (const target of run.targets) {
    const caller = [...run.sender.callers.keys()].find((name) => isAdmitted(target.access[name]))
    const isWrite = ['POST', 'PUT', 'PATCH'].includes(target.method)
    if (!isWrite || caller === undefined || target.entry?.input === undefined || run.isOver()) continue
    await checkTarget(run, target, caller)
  }
}

/** Names that handlers tend to take from a body as it is. */
const USUAL: Readonly<Record<string, unknown>> = {
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

async function checkTarget(run: Run, target: Target, caller: string): Promise<void> {
  const plan = bodyPlanOf(target, run.resolve)
  if (plan !== undefined && (plan.isForm || isLoose(run.resolve(plan.schema)))) return
  const make = await run.known.maker(target, caller)
  const plain = await run.send(make())
  const [before] = recordsIn(plain)
  if (before === undefined || plain.status >= 300) return
  const sent = Object.entries({ ...USUAL, ...shownFields(run, target) })
    .filter(([name, value]) => plan?.fields.has(name) !== true && Object.hasOwn(before, name) && before[name] !== value)
  if (sent.length === 0) return
  const request = make(Object.fromEntries(sent))
  const named = plan === undefined ? { ...request, body: { json: Object.fromEntries(sent) } } : request
  const [after] = recordsIn(await run.send(named))
  const stored = sent.find(([name, value]) => after?.[name] !== undefined && isSame(after[name], value))
  if (stored === undefined) return
  await run.record(target, { request: named, about: `the field \`${stored[0]}\`` }, {
    kind: 'field',
    message: `\`${stored[0]}\` is stored, although the input does not declare it`,
  })
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function isLoose({ additionalProperties = false }: JsonSchema): boolean {
  return additionalProperties !== false
}

/** Returns a value for each field of the output that no other record has. */
function shownFields(run: Run, { operation, entry }: Target): Readonly<Record<string, unknown>> {
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
