import { describe, expect, it } from 'vitest'
import { SAMPLE_BYTES } from '../../lib/core/upload/signatures.js'
import { sniff } from '../../lib/core/upload/sniff.js'
import { fileOf } from '../support/multipart.js'

describe('sniff', () => {
  it.each([
    ['png', 'image/png', 'png'],
    ['jpeg', 'image/jpeg', 'jpg'],
    ['gif', 'image/gif', 'gif'],
    ['pdf', 'application/pdf', 'pdf'],
    ['zip', 'application/zip', 'zip'],
  ] as const)('recognises %s as %s', async (kind, type, extension) => {
    expect(await sniff(fileOf(kind))).toEqual({ type, extension })
  })

  it.each([
    ['HTML', '<!doctype html><p>x', 'text/plain'],
    ['CSV in any script', 'id;имя\r\n1;Åsa', 'text/plain'],
    ['binary', Buffer.from([1, 2, 3, 0, 255]), 'application/octet-stream'],
    ['bytes other than UTF-8', Buffer.from('caf\xE9 au lait', 'latin1'), 'application/octet-stream'],
    [
      'a PNG with a damaged chunk',
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 255)]),
      'image/png',
    ],
    ['nothing', '', 'application/octet-stream'],
  ])('returns for %s the type %s', async (_what, content, type) => {
    expect((await sniff(Buffer.from(content))).type).toBe(type)
  })

  it.each([0, 1, 2, 3])('recognises text if the sample ends inside a character (%i)', async (shift) => {
    const sample = Buffer.from(`${'x'.repeat(shift)}${'😀'.repeat(SAMPLE_BYTES / 4 + 1)}`).subarray(0, SAMPLE_BYTES)
    expect((await sniff(sample)).type).toBe('text/plain')
  })
})
