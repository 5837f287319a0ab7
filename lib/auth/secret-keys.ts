import type { webcrypto } from 'node:crypto'
import { MisuseError } from '../errors.js'
import { prepareJose } from './jose.js'

/** The secret of HS256: at least 32 bytes, as they are or as the UTF-8 of a text. */
export type Secret = string | Uint8Array

type Key = Promise<webcrypto.CryptoKey>

/** Keys imported once: jose takes twice the time for a secret that it must import again for every token. */
export interface SecretKeys {
  readonly signing: Key
  readonly verifying: readonly Key[]
}

/** RFC 7518 §3.2: a key of HS256 has at least the size of its hash. */
const FEWEST_BYTES = 32

/**
 * The keys of one secret or of several: the first signs, all verify.
 *
 * @throws MisuseError `secret_missing`, `secret_weak`.
 */
export function secretKeys(secret: unknown): SecretKeys {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const keys = secrets.map((one) => importKey(bytesOf(one)))
  const [signing] = keys
  if (signing === undefined) throw missing()
  prepareJose()
  return { signing, verifying: keys }
}

function bytesOf(secret: unknown): Uint8Array {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) throw missing()
  const bytes = Buffer.from(secret)
  if (bytes.length >= FEWEST_BYTES) return bytes
  throw new MisuseError('secret_weak', `A secret has at least ${FEWEST_BYTES} bytes, this one has ${bytes.length}. ${ADVICE}`)
}

function missing(): MisuseError {
  return new MisuseError('secret_missing', `There is no secret: a text, a Uint8Array, or a list of them. ${ADVICE}`)
}

const ADVICE = 'Make one with `openssl rand -base64 48` and keep it out of the code.'

function importKey(bytes: Uint8Array): Key {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
