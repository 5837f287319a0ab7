import { sendChange } from './checking.js'
import { isAccepted, wordOf, propertiesOf } from './collections.js'
import { reporter, type Run } from './run.js'
import type { CheckRequest, Observed, Target } from './model.js'

const TENANTS = ['tenant', 'org', 'organization', 'organisation', 'company', 'workspace', 'team', 'site', 'branch',
  'clinic', 'account', 'store', 'shop', 'school', 'customer', 'department', 'location', 'region', 'group', 'project']

/** Headers that gateways set to name the caller, by the claim that they contain. */
const NAMING: Readonly<Record<string, readonly string[]>> = {
  id: ['x-user-id', 'x-userid', 'x-user', 'x-auth-user', 'x-auth-user-id', 'x-forwarded-user', 'x-remote-user',
    'remote-user', 'x-authenticated-user', 'x-authenticated-userid', 'x-auth-request-user', 'x-account-id',
    'x-customer-id', 'x-client-id', 'x-caller-id', 'x-actor', 'x-actor-id', 'x-on-behalf-of', 'x-impersonate',
    'x-impersonate-user', 'x-owner-id', 'x-subject', 'x-sub'],
  role: ['x-role', 'x-roles', 'x-user-role', 'x-user-roles', 'x-auth-role', 'x-forwarded-role', 'x-forwarded-groups',
    'x-groups', 'x-scope', 'x-scopes', 'x-permissions'],
  tenant: TENANTS.flatMap((word) => [`x-${word}`, `x-${word}-id`, `x-${word}id`]),
}

const TENANT_CLAIM = new RegExp(`^(?:${TENANTS.join('|')})(?:_?id)?$`, 'i')

/** Returns the tenant that a caller names, `undefined` for one without such a claim. */
export function tenantOf(run: Run, caller: string): unknown {
  const entries = Object.entries(propertiesOf(run.sender.callers.get(caller)))
  return entries.find(([name]) => TENANT_CLAIM.test(name))?.[1]
}

/** A value that no caller and no record has. */
const UNKNOWN = '98765431'

/** Checks that no header that clients can send makes a caller another one. */
export async function checkClaimedHeaders(run: Run): Promise<void> {
  const claims = claimsOf(run)
  for (const target of run.targets) {
    const admitted = run.admitted(target)
    const callers = [...new Set([...admitted.slice(-1), ...admitted.slice(0, 2)])]
    for (const caller of run.left(callers)) {
      if (run.isKnown(target, 'access')) break
      if (target.method === 'GET') await checkRead(run, target, caller, claims)
      else if (target.method !== 'DELETE' && caller === callers[0]) await checkWrite(run, target, caller)
    }
  }
}

type Headers = Readonly<Record<string, string>>

/** Returns the headers that name each caller, an administrator, and a caller who does not exist. */
function claimsOf(run: Run): Headers[] {
  const callers = [...run.sender.callers].filter(([, caller]) => caller !== null)
  const named = callers.map(([name, caller]) => {
    const { id, role } = propertiesOf(caller)
    return headersOf({ id, role, tenant: tenantOf(run, name) })
  })
  const made = ['admin', '1', '2', UNKNOWN].map((word) =>
    headersOf({ id: word === 'admin' ? '1' : word, role: 'admin', tenant: word })
  )
  return [...named, ...made]
}

function headersOf(claims: Partial<Record<'id' | 'role' | 'tenant', unknown>>): Headers {
  const values = Object.entries(claims).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return Object.fromEntries(
    values.flatMap(([claim, value]) => (NAMING[claim] ?? []).map((name) => [name, wordOf(value)] as const)),
  )
}

/** Returns the headers that name a tenant and that the document of a route does not name. */
export function tenantHeaders(run: Run, target: Target, tenant: unknown): Headers {
  return undeclared(run, target, headersOf({ tenant }))
}

/** Returns the headers that the document does not name: a route that declares one means it. */
function undeclared(run: Run, { operation }: Target, headers: Headers): Headers {
  const parameters = (operation?.parameters ?? []).filter((one) => one.in === 'header').map(({ name }) => name)
  const schemes = Object.values(run.judge.document.components.securitySchemes)
    .flatMap((scheme) => 'name' in scheme ? [String(scheme.name)] : [])
  const declared = new Set([...parameters, ...schemes].map((name) => name.toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !declared.has(name)))
}

/** Compares a reply with that to the same request with the headers. */
async function checkRead(run: Run, target: Target, caller: string, claims: readonly Headers[]): Promise<void> {
  const request = await run.valid(target, caller)
  const expected = contentOf(await run.send(request))
  if (contentOf(await run.send(request)) !== expected) return
  for (const claim of claims) {
    const headers = undeclared(run, target, claim)
    if (!await isOther(run, withHeaders(request, headers), expected)) continue
    if (contentOf(await run.send(request)) !== expected) return
    return report(run, target, await smallest(run, request, headers, expected), OTHER)
  }
}

/** Returns true if a request is served, and with another reply. */
async function isOther(run: Run, request: CheckRequest, expected: string): Promise<boolean> {
  const observed = await run.send(request)
  return isAccepted(observed) && contentOf(observed) !== expected
}

/** Returns the request with one of the headers, or with all if it takes several. */
async function smallest(run: Run, request: CheckRequest, headers: Headers, expected: string): Promise<CheckRequest> {
  for (const [name, value] of Object.entries(headers)) {
    const one = withHeaders(request, { [name]: value })
    if (await isOther(run, one, expected)) return one
  }
  return withHeaders(request, headers)
}

/** Sends a write with the id of a caller who does not exist: a reply that has it took it for that of the caller. */
async function checkWrite(run: Run, target: Target, caller: string): Promise<void> {
  const make = await run.known.maker(target, caller)
  const headers = undeclared(run, target, headersOf({ id: UNKNOWN, tenant: UNKNOWN }))
  const request = withHeaders(make(), headers)
  const observed = await sendChange(run, request)
  if (!isAccepted(observed) || !observed.text.includes(UNKNOWN)) return
  const plain = await sendChange(run, make())
  if (!plain.text.includes(UNKNOWN)) await report(run, target, request, OTHER)
}

export function withHeaders(request: CheckRequest, headers: Headers): CheckRequest {
  return { ...request, headers: { ...headers, ...request.headers } }
}

const report = reporter('access', 'a header that names a caller')
const OTHER = 'The reply is another one with a header that names a caller, which every client can send'

/** Returns the content of a reply without the figures of the request. */
function contentOf({ status, json, text }: Observed): string {
  const { data, meta } = propertiesOf(json)
  return data === undefined
    ? `${status} ${text}`
    : JSON.stringify([status, data, { ...propertiesOf(meta), requestId: 0 }])
}
