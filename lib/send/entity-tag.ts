import { crc32 } from 'node:zlib'
import express from 'express'
import type { Settings } from './settings.js'

let weak: unknown

/** What Express makes of the setting `etag: 'weak'`, its default. */
function isDefault(generate: unknown): boolean {
  weak ??= express().get('etag fn')
  return generate === weak
}

/**
 * The entity tag that the app's setting asks for, `undefined` for none (RFC 9110 §8.8.3).
 *
 * The default is a weak one, of the length and a checksum: a cryptographic hash, as Express takes, costs a fifth of a whole request.
 */
export function entityTag({ 'etag fn': generate }: Settings, text: string, bytes: number): string | undefined {
  if (generate === undefined) return undefined
  if (isDefault(generate)) return `W/"${bytes}-${crc32(text)}"`
  const tag = generate(text, 'utf8')
  return tag === '' ? undefined : tag
}
