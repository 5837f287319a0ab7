import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanFileName } from '../../lib/core/upload/file-name.js'
import { codePoint } from '../support/code-point.js'

describe('cleanFileName', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\x.png', 'x.png'],
    ['a/..', 'file'],
    ['', 'file'],
    [' \t ', 'file'],
    ['a\r\nb\0c', 'abc'],
    ['exe.\u202Egnp.js', 'exe.gnp.js'],
    ['e\u0301.png', 'é.png'],
    ['\uD800x', '\uFFFDx'],
    [`${'ä'.repeat(300)}.jpeg`, `${'ä'.repeat(125)}.jpeg`],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('converts %j to %j', (sent, shown) => {
    expect(cleanFileName(sent)).toBe(shown)
  })

  it('returns a non-empty name of at most 255 bytes without paths and control characters', () => {
    fc.assert(fc.property(fc.string({ unit: codePoint, maxLength: 400 }), (sent) => {
      const name = cleanFileName(sent)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(name).toMatch(/^[^/\\\x00-\x1F\x7F-\x9F]+$/)
      expect(name).not.toMatch(/^\.{1,2}$/)
    }))
  })
})
