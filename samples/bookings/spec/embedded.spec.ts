import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { bookingsSuite } from './suite.js'

const sample = new URL('../', import.meta.url)

describe('the bookings of the samples, on the embedded database', () => {
  bookingsSuite(() => Promise.resolve({ url: undefined, close: () => Promise.resolve() }))

  it('are a server of fewer than 500 lines', async () => {
    const files = (await readdir(sample)).filter((file) => file.endsWith('.ts'))
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, sample), 'utf8')))
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '')
    expect(lines.length).toBeLessThan(500)
    expect(lines.filter((line) => line.length > 120)).toEqual([])
  })
})
