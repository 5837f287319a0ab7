import type { CryptoKey, JWSHeaderParameters } from 'jose'
import type { Jose } from './jose.js'

/** Finds the key of a token by its header. */
export interface KeyFinder {
  readonly find: (header: JWSHeaderParameters) => Promise<CryptoKey>
  /** Fetches the keys again after a signature that no key verifies; `false` if that is not allowed yet, or fails. */
  readonly refetch?: () => Promise<boolean>
  /** Reports that the fetched keys do not verify it either. */
  readonly missed?: () => void
}

export type MakeKeyFinder = (library: Jose) => KeyFinder

/**
 * Seconds for which an unknown key id, or a signature that no key verifies, does not cause another fetch, so that
 * invented tokens do not become requests to the provider.
 */
const COOLDOWN_SECONDS = 30

/** Seconds for which fetched keys are used, by a clock that is never set back. */
const KEPT_SECONDS = 600

/** Fetches the keys of a provider, and fetches them again as they rotate. */
export function remoteKeys(url: URL, timeout: number): MakeKeyFinder {
  return ({ createRemoteJWKSet, customFetch, errors }) => {
    const published = createRemoteJWKSet(url, {
      timeoutDuration: Math.ceil(timeout * 1000),
      cooldownDuration: Infinity,
      cacheMaxAge: Infinity,
      [customFetch]: fetchLimited,
    })
    let cooldownUntil = 0
    let keptUntil = 0
    const fetchKeys = withBackoff(async () => {
      await published.reload()
      keptUntil = performance.now() + KEPT_SECONDS * 1000
    })
    const missed = (): void => {
      cooldownUntil = performance.now() + COOLDOWN_SECONDS * 1000
    }
    const isCoolingDown = (): boolean => performance.now() < cooldownUntil
    return {
      async find(header) {
        if (performance.now() >= keptUntil) await fetchKeys()
        try {
          return await published(header)
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey) || isCoolingDown()) throw error
        }
        // Keys rotate: an unknown one may have been published since the last fetch.
        await fetchKeys()
        return published(header).catch((error: unknown) => {
          missed()
          throw error
        })
      },
      refetch: () => isCoolingDown() ? Promise.resolve(false) : fetchKeys().then(() => true, () => false),
      missed,
    }
  }
}

/** The most bytes of a key set; those of the largest providers have some ten thousand. */
const MOST_BYTES = 1_048_576

/** Fetches a key set, and no more than its limit. */
async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new TypeError(`The key set has more than ${MOST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status: response.status })
}

/** The longest wait in seconds between two calls that fail. */
const LONGEST_WAIT = 30

/**
 * Returns a function that parallel callers share. After its second failure in a row it is not called for a second, then
 * for two, four and so on: meanwhile it fails with the last error.
 */
function withBackoff(call: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined
  let failures = 0
  let waitUntil = 0
  let last: unknown
  const run = async (): Promise<void> => {
    try {
      await call()
      failures = 0
    } catch (error) {
      last = error
      if (failures++ > 0) waitUntil = performance.now() + Math.min(2 ** (failures - 2), LONGEST_WAIT) * 1000
      throw error
    } finally {
      underWay = undefined
    }
  }
  return () => {
    if (performance.now() < waitUntil) return Promise.reject(last)
    return underWay ??= run()
  }
}
