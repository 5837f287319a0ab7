import { open, type FileHandle } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MEMORY_BYTES, memoryHeld, releaseMemory, reserveMemory, Spool } from '../../lib/core/upload/spool.js'
import * as temporary from '../../lib/core/upload/temporary-file.js'

vi.mock('../../lib/core/upload/temporary-file.js', { spy: true })

afterEach(() => vi.mocked(temporary.openTemporaryFile).mockReset())

describe('Spool', () => {
  it('returns the written bytes in any chunks, below and above its threshold', async () => {
    const pieces = fc.array(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 3 }), {
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(100), async (writes, threshold) => {
        const spool = new Spool(threshold)
        for (const chunks of writes) await spool.write(chunks.map((chunk) => Buffer.from(chunk)))
        spool.finish()
        const all = Buffer.concat(writes.flat())
        expect(spool.size).toBe(all.length)
        expect((await spool.bytes()).equals(all)).toBe(true)
        expect((await buffer(spool.stream())).equals(all)).toBe(true)
        await spool.dispose()
        expect(memoryHeld()).toBe(0)
      }),
      { numRuns: 40 },
    )
  })

  it('joins small chunks, of which each takes more memory than its bytes', async () => {
    const joined = vi.spyOn(Buffer, 'concat')
    const spool = new Spool(300_000)
    for (let count = 0; count < 100_000; count++) await spool.write([Buffer.from('a')])
    expect(joined.mock.calls.length).toBeGreaterThan(50)
    await spool.write(Array.from({ length: 200_000 }, () => Buffer.from('b')))
    expect((await spool.bytes()).toString()).toBe('a'.repeat(100_000) + 'b'.repeat(200_000))
    await spool.dispose()
    joined.mockRestore()
  })

  it('writes to a file if the memory for uploads is used up', async () => {
    expect(reserveMemory(MEMORY_BYTES)).toBe(true)
    const spool = new Spool(100)
    await spool.write([Buffer.from('abc')])
    expect(temporary.openTemporaryFile).toHaveBeenCalled()
    expect((await spool.bytes()).toString()).toBe('abc')
    releaseMemory(MEMORY_BYTES)
    await spool.dispose()
  })

  it('continues after a partial write of the system', async () => {
    const spool = new Spool(0)
    vi.mocked(temporary.openTemporaryFile).mockImplementation(async () => takingOneByte(await open('/dev/null', 'r')))
    await spool.write([Buffer.from('ab'), Buffer.from('c')])
    expect(taken).toEqual([['abc', 0], ['bc', 1], ['c', 2]])
    await spool.dispose()
  })

  it('throws if its file was truncated', async () => {
    const spool = new Spool(0)
    vi.mocked(temporary.openTemporaryFile).mockImplementation(async () => takingOneByte(await open('/dev/null', 'r')))
    await spool.write([Buffer.from('a')])
    await expect(buffer(spool.stream())).rejects.toThrow('shorter')
    await spool.dispose()
  })

  it('closes a file that is opened during its disposal', async () => {
    const file = await open('/dev/null', 'r')
    const close = vi.spyOn(file, 'close')
    vi.mocked(temporary.openTemporaryFile).mockResolvedValue(file)
    const spool = new Spool(0)
    const writing = spool.write([Buffer.from('a')])
    await spool.dispose()
    await writing
    expect(close).toHaveBeenCalled()
    await expect(spool.write([Buffer.from('a')])).rejects.toThrow('was removed')
  })
})

const taken: [string, number][] = []

/** Returns a file that writes one byte at a time. */
function takingOneByte(file: FileHandle): FileHandle {
  vi.spyOn(file, 'writev').mockImplementation((chunks, position) => {
    taken.push([Buffer.concat(chunks as Buffer[]).toString(), position ?? -1])
    return Promise.resolve({ bytesWritten: 1, buffers: chunks as Buffer[] })
  })
  return file
}
