import { describe, expect, it } from 'vitest'
import { SAMPLE_BYTES, sniff } from '../../lib/upload/sniff.js'
import { fileOf } from '../support/multipart.js'

describe('the type of a file', () => {
  it.each([
    ['png', 'image/png', 'png'], ['jpeg', 'image/jpeg', 'jpg'], ['gif', 'image/gif', 'gif'],
    ['pdf', 'application/pdf', 'pdf'], ['zip', 'application/zip', 'zip'],
  ] as const)('%s is %s', async (kind, type, extension) => {
    expect(await sniff(fileOf(kind))).toEqual({ type, extension })
  })

  it.each([
    ['HTML', '<!doctype html><p>x', 'text/plain'],
    ['CSV in any script', 'id;имя\r\n1;Åsa', 'text/plain'],
    ['binary', Buffer.from([1, 2, 3, 0, 255]), 'application/octet-stream'],
    ['bytes that are no UTF-8', Buffer.from('caf\xE9 au lait', 'latin1'), 'application/octet-stream'],
    ['a PNG with a damaged chunk', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 255)]), 'image/png'],
    ['nothing', '', 'application/octet-stream'],
  ])('%s is %s', async (_what, content, type) => {
    expect((await sniff(Buffer.from(content))).type).toBe(type)
  })

  it.each([0, 1, 2, 3])('is text though the sample ends inside a character (%i)', async (shift) => {
    const sample = Buffer.from(`${'x'.repeat(shift)}${'😀'.repeat(SAMPLE_BYTES / 4 + 1)}`).subarray(0, SAMPLE_BYTES)
    expect((await sniff(sample)).type).toBe('text/plain')
  })
})
