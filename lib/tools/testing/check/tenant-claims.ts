import { pathNamesOf } from '../../../core/index.js'
import { tenantHeaders, withHeaders } from './claimed-headers.js'
import { isAdmitted, propertiesOf, type KnownRecord } from './collections.js'
import { memberOf, memberRequest, recordOf } from './members.js'
import type { Run } from './run.js'
import { differentClaims, isDivided, report, type Pair } from './tenant-pair.js'
import type { CheckRequest, Target } from './model.js'

/** Sends the claims of another tenant, such as its `tenantId`, as fields and as headers. */
export async function checkAssignments(run: Run, pair: Pair): Promise<void> {
  const fields = Object.fromEntries(differentClaims(run, pair))
  if (Object.keys(fields).length === 0) return
  const creates = run.targets.filter(({ method, path }) => method === 'POST' && pathNamesOf(path).length === 0)
  for (const create of creates) {
    if (run.isOver() || !await isDivided(run, create.path, pair)) continue
    for (const target of [create, memberOf(run, create.path, 'PATCH'), memberOf(run, create.path, 'PUT')]) {
      if (target === undefined || !isAdmitted(target.access[pair.one])) continue
      await assign(run, pair, target, { names: Object.keys(fields), add: (request) => withFields(request, fields) })
      const headers = Object.fromEntries(
        Object.values(fields).flatMap((claim) => Object.entries(tenantHeaders(run, target, claim))),
      )
      await assign(run, pair, target, { names: ['X-Tenant-Id'], add: (request) => withHeaders(request, headers) })
    }
  }
}

/** Claims of another tenant, and the way in which a request has them. */
interface Claims {
  readonly names: readonly string[]
  readonly add: (request: CheckRequest) => CheckRequest
}

async function assign(run: Run, pair: Pair, target: Target, { names, add }: Claims): Promise<void> {
  const collection = target.method === 'POST' ? target.path : target.path.slice(0, target.path.lastIndexOf('/'))
  const before = await run.known.ownRecords(collection, pair.one)
  const id = before.at(-1)?.id
  const request = add(target.method === 'POST'
    ? (await run.known.maker(target, pair.one))()
    : await memberRequest(run, target, pair.one, id))
  const reply = await run.send(request)
  run.known.forget()
  const written = target.method === 'POST' ? recordOf(reply)?.id : id
  if (reply.status >= 300 || written === undefined) return
  const others = await run.known.ownRecords(collection, pair.other)
  if (others.some((record) => record.id === written)) {
    await report(run, target, request, `${
      names.map((name) => `\`${name}\``).join()
    } gives the record to another tenant`)
  }
}

function withFields(request: CheckRequest, fields: KnownRecord): CheckRequest {
  const { body } = request
  return body !== undefined && 'json' in body
    ? { ...request, body: { json: { ...propertiesOf(body.json), ...fields } } }
    : request
}
