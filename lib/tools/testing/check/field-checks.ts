import { fieldsOf } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { isAdmitted, recordsIn, type KnownRecord } from './collections.js'
import { checkHiddenFields, USUAL } from './hidden-fields.js'
import type { Run } from './run.js'
import { bodyPlanOf, type BodyPlan } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** Sends fields that are shown but not declared as input: a value that comes back was stored. */
export async function checkUndeclaredFields(run: Run): Promise<void> {
  for (const target of run.targets) {
    const caller = [...run.sender.callers.keys()].find((name) => isAdmitted(target.access[name]))
    const isWrite = ['POST', 'PUT', 'PATCH'].includes(target.method)
    if (!isWrite || caller === undefined || target.entry?.input === undefined || run.isOver()) continue
    await checkTarget(run, target, caller)
  }
}

type Make = (fields?: KnownRecord) => CheckRequest

async function checkTarget(run: Run, target: Target, caller: string): Promise<void> {
  const plan = bodyPlanOf(target, run.resolve)
  if (plan !== undefined && (plan.isForm || isLoose(run.resolve(plan.schema)))) return
  const make = await run.known.maker(target, caller)
  const [before] = recordsIn(await run.send(make()))
  if (before === undefined) return
  await checkHiddenFields(run, target, { caller,
    shown: new Set([...Object.keys(before), ...plan?.fields.keys() ?? []]) })
  await checkShownFields(run, target, { before, plan, make })
}

/** Sends fields that replies show. */
async function checkShownFields(
  run: Run,
  target: Target,
  { before, plan, make }: { readonly before: KnownRecord; readonly plan: BodyPlan | undefined; readonly make: Make },
): Promise<void> {
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
