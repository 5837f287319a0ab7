import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { isList, MisuseError } from '../../core/index.js'

/** A secret of at least 32 bytes, or several: the first encrypts, all decrypt. */
export type CursorSecret = string | Uint8Array | readonly (string | Uint8Array)[]

/** Encrypts cursors, and decrypts them: `undefined` for one that was not encrypted with these secrets. */
export interface CursorSeal {
  seal(cursor: string): string
  open(sealed: string): string | undefined
}

const FEWEST_BYTES = 32
const VERSION = 2
const NONCE = 12
const TAG = 16

/**
 * Returns the seal of a secret, `undefined` without one. @throws MisuseError `crud_cursor_secret` for a missing or
 * short secret
 */
export function cursorSealOf(secret: CursorSecret | undefined): CursorSeal | undefined {
  if (secret === undefined) return undefined
  const keys = (isList(secret) ? secret : [secret]).map(keyOf)
  const [first] = keys
  if (first === undefined) throw weakSecret()
  return {
    seal(cursor) {
      const head = Buffer.concat([Buffer.of(VERSION), randomBytes(NONCE)])
      const cipher = createCipheriv('aes-256-gcm', first, head.subarray(1)).setAAD(head)
      return Buffer.concat([head, cipher.update(cursor), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes[0] !== VERSION || bytes.length <= 1 + NONCE + TAG || bytes.toString('base64url') !== sealed) {
        return undefined
      }
      return keys.map((key) => decrypt(key, bytes)).find((cursor) => cursor !== undefined)
    },
  }
}

function keyOf(secret: unknown): Buffer {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) throw weakSecret()
  const bytes = Buffer.from(secret)
  if (bytes.length < FEWEST_BYTES) throw weakSecret()
  return Buffer.from(hkdfSync('sha256', bytes, '', 'resourcery cursors', 32))
}

function weakSecret(): MisuseError {
  return new MisuseError(
    'crud_cursor_secret',
    `\`cursorSecret\` of crud must be a string or Uint8Array of at least ${FEWEST_BYTES} bytes, or a list of them.`,
  )
}

function decrypt(key: Buffer, bytes: Buffer): string | undefined {
  try {
    const head = bytes.subarray(0, 1 + NONCE)
    const decipher = createDecipheriv('aes-256-gcm', key, head.subarray(1)).setAAD(head).setAuthTag(
      bytes.subarray(-TAG),
    )
    return decipher.update(bytes.subarray(1 + NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
