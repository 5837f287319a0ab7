import type { Request } from 'express'
import { isObject } from '../../core/index.js'
import { RpcError, type Params, type RpcRequest } from './messages.js'

/** The revision whose requests each carry version and capabilities, so that nothing precedes them. */
const STATELESS = '2026-07-28'

/** The revisions that begin with `initialize`, the newest first. They have no batches, and structured results. */
export const INITIALIZED: readonly string[] = ['2025-11-25', '2025-06-18']

/** The revisions of the protocol that are spoken, the newest first. */
export const REVISIONS: readonly string[] = [STATELESS, ...INITIALIZED]

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

/**
 * Returns true for a request of revision 2026-07-28, whose headers must repeat what its body says; false for one of an
 * earlier revision.
 *
 * @throws RpcError for another revision, a header that differs from the body, or parameters that lack `_meta`.
 */
export function isStateless(req: Request, { method, params }: RpcRequest): boolean {
  const meta = isObject(params._meta) ? params._meta : {}
  const version = meta[VERSION]
  const named = headerOf(req, 'mcp-protocol-version')
  if (version === undefined) {
    if (named === STATELESS) throw lacking(VERSION)
    checkRevision(req)
    return false
  }
  if (typeof version !== 'string') throw lacking(VERSION)
  mustRepeat('MCP-Protocol-Version', named, version)
  checkRevision(req)
  if (version !== STATELESS) return false
  if (!isObject(meta[CAPABILITIES])) throw lacking(CAPABILITIES)
  mustRepeat('Mcp-Method', headerOf(req, 'mcp-method'), method)
  if (method === 'tools/call') mustRepeat('Mcp-Name', decoded(headerOf(req, 'mcp-name')), params.name)
  return true
}

/** @throws RpcError if the header names a revision that is not spoken; without the header it is an early one. */
export function checkRevision(req: Request): void {
  const requested = headerOf(req, 'mcp-protocol-version')
  if (requested === undefined || REVISIONS.includes(requested)) return
  const message = `The protocol revision is not supported: use ${REVISIONS.join(', ')}`
  throw new RpcError('revision', message, 400, { data: { supported: REVISIONS, requested: requested.slice(0, 100) } })
}

function headerOf(req: Request, name: string): string | undefined {
  // The same name twice is no value that a body may repeat.
  return req.headersDistinct[name]?.join(', ')
}

function mustRepeat(header: string, value: string | undefined, expected: Params[string]): void {
  if (value === expected) return
  const what = value === undefined ? 'is missing' : 'differs from the body'
  throw new RpcError('mismatch', `The header ${header} ${what}`, 400)
}

/** Returns a value that clients encode where it is more than visible ASCII. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? []
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString() : undefined
}

function lacking(key: string): RpcError {
  return new RpcError('params', `The parameters need \`_meta\` with \`${key}\``, 400)
}
