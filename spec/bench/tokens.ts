import { issueToken } from '../../lib/auth/issue-token.js'
import { SECRET } from './servers/data.js'
import type { WireRequest } from './workloads.js'

/** An HS256 token that all servers take. */
const tokens = {
  editor: await issueToken('admin', { id: 2, role: 'editor' }, { secret: SECRET }),
  guest: await issueToken('admin', { id: 3, role: 'guest' }, { secret: SECRET }),
}

/** The headers that a request is sent with. */
export function headersOf({ body, role }: WireRequest): Record<string, string> {
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(role === undefined ? {} : { authorization: `Bearer ${tokens[role]}` }),
  }
}
