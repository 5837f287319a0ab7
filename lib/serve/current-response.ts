import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The response that has a connection to itself at present, from the arrival of its request until its last byte is handed over.
 *
 * Node's own error handling and `closeIdleConnections` read it from the same place, for which there is no public name.
 */
export function currentResponse(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined
}
