import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Faults, type Fault } from './parts.js'

/** An identity provider whose keys fail when a spec tells it to. */
export interface IdentityProvider {
  /** The URL of its keys. */
  readonly keys: string
  readonly server: Server
  readonly fail: (fault: Fault | undefined) => void
  /** Signs a token for a caller. */
  readonly issue: (caller: number) => Promise<string>
  /** Replaces the key, which tokens from now on are signed with. */
  readonly rotate: () => Promise<void>
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const faults = new Faults()
  let pair = await generateKeyPair('ES256')
  let kid = 0
  const server = createServer((_req, res) => {
    const answer = async (): Promise<void> => {
      await faults.pass('keys')
      const key = await exportJWK(pair.publicKey)
      res.setHeader('content-type', 'application/json').end(
        JSON.stringify({ keys: [{ ...key, kid: String(kid), alg: 'ES256', use: 'sig' }] }),
      )
    }
    answer().catch(() => res.writeHead(500).end('broken'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    keys: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    server,
    fail: (fault) => faults.set({ part: 'keys', fault }),
    issue: (caller) =>
      new SignJWT({ id: caller })
        .setProtectedHeader({ alg: 'ES256', kid: String(kid) })
        .setIssuer('https://idp.example.test')
        .setAudience('notes')
        .setSubject(String(caller))
        .setIssuedAt()
        .setExpirationTime('2h')
        .sign(pair.privateKey),
    rotate: async () => {
      pair = await generateKeyPair('ES256')
      kid++
    },
  }
}
