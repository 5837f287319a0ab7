import { pathNamesOf } from '../../../core/index.js'
import { tenantHeaders, withHeaders } from './claimed-headers.js'
import { isAdmitted, ownCollection } from './collections.js'
import { memberOf, memberRequest, recordOf } from './members.js'
import { differentClaims, isDivided, report, type Pair } from './tenant-pair.js'
import { withFields } from './written.js'
import type { CheckRequest, Target } from './model.js'

/** Sends the claims of another tenant, such as its `tenantId`, as fields and as headers. */
export async function checkAssignments(pair: Pair): Promise<void> {
  const { run, one } = pair
  const fields = Object.fromEntries(differentClaims(pair))
  const names = Object.keys(fields)
  if (names.length === 0) return
  const creates = run.targets.filter(({ method, path }) => method === 'POST' && pathNamesOf(path).length === 0)
  for (const create of run.left(creates)) {
    const { path } = create
    if (!await isDivided(pair, path)) continue
    for (const target of [create, memberOf(run, path, 'PATCH'), memberOf(run, path, 'PUT')]) {
      if (target === undefined || !isAdmitted(target.access[one])) continue
      const claimed = Object.values(fields).map((claim) => tenantHeaders(run, target, claim))
      const headers = Object.fromEntries(claimed.flatMap(Object.entries<string>))
      await assign(pair, target, names, (request) => withFields(request, fields))
      await assign(pair, target, ['X-Tenant-Id'], (request) => withHeaders(request, headers))
    }
  }
}

/** Adds claims of another tenant to a request, and looks where the record is afterwards. */
async function assign(pair: Pair, target: Target, names: readonly string[],
  add: (request: CheckRequest) => CheckRequest): Promise<void>
{
  const { run, one, other } = pair
  const collection = ownCollection(target)
  const id = (await run.known.ownRecords(collection, one)).at(-1)?.id
  const isCreation = target.method === 'POST'
  const request = add(isCreation ? await run.valid(target, one) : await memberRequest(run, target, one, id))
  const reply = await run.send(request)
  run.known.forget()
  const written = isCreation ? recordOf(reply)?.id : id
  if (reply.status >= 300 || written === undefined) return
  const others = await run.known.ownRecords(collection, other)
  if (!others.some((record) => record.id === written)) return
  await report(run, target, request, `${names.map((name) => `\`${name}\``).join()} gives the record to another tenant`)
}
