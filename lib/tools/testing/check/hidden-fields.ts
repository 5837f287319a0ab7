import { hiddenNames } from './read-checks.js'
import type { Run } from './run.js'
import type { Target } from './model.js'

/** Names that handlers tend to take from a body as it is. */
export const USUAL: Readonly<Record<string, unknown>> = {
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

/** Sends columns that no reply shows, and looks for their values in the rows of `snapshot`. */
export async function checkHiddenFields(
  run: Run,
  target: Target,
  { caller, shown }: { readonly caller: string; readonly shown: ReadonlySet<string> },
): Promise<void> {
  const { snapshot } = run.settings
  if (snapshot === undefined) return
  const fields = await fieldsBeside(run, shown)
  const request = (await run.known.maker(target, caller))(fields)
  const whole = request.body === undefined ? { ...request, body: { json: fields } } : request
  const { status } = await run.send(whole)
  run.known.forget()
  const stored = status < 300 ? rowField(await snapshot(), fields, 0) : undefined
  if (stored === undefined) return
  await run.record(target, { request: whole, about: `the field \`${stored}\`` }, {
    kind: 'field',
    message: `\`${stored}\` is stored, although the input does not declare it`,
  })
}

type Fields = Readonly<Record<string, unknown>>

/** Returns a value for each column that is not shown, which no row has: what one route has stored blames no other. */
async function fieldsBeside(run: Run, shown: ReadonlySet<string>): Promise<Fields> {
  const columns = await hiddenNames(run)
  const number = run.known.next()
  const names = [...new Set([...Object.keys(USUAL), ...columns.keys()])].filter((name) => !shown.has(name))
  return Object.fromEntries(names.map((name, index) => {
    const sample = columns.get(name)?.at(-1) ?? USUAL[name]
    return [name, typeof sample === 'number' ? 977_000 + 1_000 * number + index : `zq7x-${name}-${number}`]
  }))
}

/** Returns the name of a field that a row has with the value that was sent; a row has an id. */
function rowField(value: unknown, fields: Fields, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  const entries: [string, unknown][] = Object.entries(value)
  // A log may keep whole requests inside a row.
  if (Object.hasOwn(value, 'id') && !Array.isArray(value)) {
    return entries.find(([name, one]) => Object.hasOwn(fields, name) && fields[name] === one)?.[0]
  }
  return entries.map(([, one]) => rowField(one, fields, depth + 1)).find((name) => name !== undefined)
}
