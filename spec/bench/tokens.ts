import { issueToken } from 'resourcery'
import { SECRET } from './servers/data.js'
import type { WireRequest } from './workloads.js'

/** Signs an HS256 token that all servers accept. */
const tokens = {
  editor: await issueToken('admin', { id: 2, role: 'editor' }, { secret: SECRET }),
  guest: await issueToken('admin', { id: 3, role: 'guest' }, { secret: SECRET }),
  forged: await issueToken('admin', { id: 2, role: 'editor' }, { secret: SECRET.split('').reverse().join('') }),
}

/** Returns the headers of a request. */
export function headersOf({ body, role }: WireRequest): Record<string, string> {
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(role === undefined ? {} : { authorization: `Bearer ${tokens[role]}` }),
  }
}
