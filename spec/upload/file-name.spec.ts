import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanFileName } from '../../lib/upload/file-name.js'

describe('a file name', () => {
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
  ])('%j is shown as %j', (sent, shown) => {
    expect(cleanFileName(sent)).toBe(shown)
  })

  it('is never empty, never longer than 255 bytes, never a path and never holds a control character', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (sent) => {
      const name = cleanFileName(sent)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(name).toMatch(/^[^/\\\x00-\x1F\x7F-\x9F]+$/)
      expect(name).not.toMatch(/^\.{1,2}$/)
    }))
  })
})
