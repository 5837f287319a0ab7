import type { Application, Request, Response } from 'express'
import { issuerOf, listing, rootOf, schemeFinder } from '../../core/index.js'
import { toolsOf } from './tools.js'

/** Where a client finds the metadata of a protected resource (RFC 9728 §3). */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/**
 * Adds the metadata of the server to an app: for the endpoint at `WELL_KNOWN` + its path, for the origin without one.
 * The authorization servers are those given, else the issuers of the tokens that tools accept.
 */
export function publishMetadata(
  app: Application,
  { name, authorizationServers }: { readonly name: string;
    readonly authorizationServers?: readonly string[] | undefined },
): void {
  app.get([WELL_KNOWN, `${WELL_KNOWN}/*path`], (req: Request, res: Response) => {
    const servers = authorizationServers ?? issuersOf(app)
    // Pages of any origin may read it, as they read the metadata of an authorization server.
    res.set('Access-Control-Allow-Origin', '*').json({
      resource: `${originOf(req)}${req.baseUrl}${req.path.slice(WELL_KNOWN.length)}`,
      ...(servers.length > 0 && { authorization_servers: servers }),
      bearer_methods_supported: ['header'],
      resource_name: name,
    })
  })
}

/** Returns the challenge of a 401, which names the metadata (RFC 9728 §5.1). */
export function challengeOf(app: Application, req: Request): string {
  const prefix = app.path()
  const url = `${originOf(req)}${prefix}${WELL_KNOWN}${req.baseUrl.slice(prefix.length)}`
  const fault = req.headers.authorization === undefined ? '' : 'error="invalid_token", '
  return `Bearer ${fault}resource_metadata="${url.replace(/["\\]/g, encodeURIComponent)}"`
}

function originOf(req: Request): string {
  return `${req.protocol}://${req.host}`
}

function issuersOf(app: Application): readonly string[] {
  const root = rootOf(app)
  const find = schemeFinder(root, listing(root))
  const issuers = [...toolsOf(root).values()].flatMap(({ route: { route, path } }) =>
    route.guardedBy.flatMap((guard) => find(route, path, guard).flatMap((scheme) => issuerOf(scheme) ?? []))
  )
  return [...new Set(issuers)]
}
