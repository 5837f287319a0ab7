import type { Run } from './run.js'

/** Sends tokens without a valid signature to the routes that refuse a caller without credentials. */
export async function checkTokens(run: Run): Promise<void> {
  const anonymous = run.anonymous()
  if (anonymous === undefined) return
  const tokens = forgedTokens(run)
  for (const target of run.left()) {
    if (target.access[anonymous] !== 401) continue
    const make = await run.known.maker(target, anonymous)
    for (const authorization of tokens) {
      const request = make()
      await run.probe(target, { request: { ...request, headers: { ...request.headers, authorization } },
        about: 'a token without a valid signature' })
    }
  }
}

/** Returns values of the `Authorization` header: malformed ones, and the claims of each caller without a signature. */
function forgedTokens(run: Run): string[] {
  const callers = [...run.sender.callers.values()].filter((caller) => caller !== null)
  const forged = callers.flatMap(({ app, ...claims }) => {
    const payload = encode({ ...claims, sub: String(claims.id), app, aud: app, exp: 4_102_444_800, iat: 1_700_000_000 })
    return [`${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      `${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}.x`]
  })
  return ['Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'x', ...forged.map((token) => `Bearer ${token}`)]
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
