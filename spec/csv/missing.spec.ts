import { describe, expect, it, onTestFinished } from 'vitest'
import { loadNow, toMissing } from '../../lib/core/csv/missing.js'

describe('loadNow', () => {
  it('loads an optional package once and returns it', async () => {
    let loads = 0
    const load = loadNow(() => Promise.resolve(++loads))
    expect([await load(), await load(), loads]).toEqual([1, 1, 1])
  })

  it('warns immediately about what cannot be loaded, and rejects with its error', async () => {
    const warned = warning()
    const load = loadNow(() => Promise.reject(new Error('Broken')))
    expect(await warned).toMatchObject({ code: 'RESOURCERY_CSV_MISSING', message: 'Error: Broken' })
    await expect(load()).rejects.toThrow('Broken')
  })
})

describe('toMissing', () => {
  it.each([
    "Cannot find package 'csv-parse' imported from /app/out.js",
    "Cannot find module 'csv-parse'\nRequire stack:\n- /app/out.cjs",
    'Could not resolve "csv-parse" imported by "resourcery". Is it installed?',
  ])('names the package to install for %j', (message) => {
    expect(toMissing('csv-parse', new Error(message))).toMatchObject({
      code: 'csv_missing',
      message: 'CSV is used, and the package csv-parse is not installed. Run `npm install csv-parse`.',
    })
  })

  it('names the package to install for a bundle as ES module that calls require for it', () => {
    expect(toMissing('csv-parse', new ReferenceError('require is not defined'))).toMatchObject({ code: 'csv_missing' })
  })

  it.each([new Error('Broken'), new ReferenceError('parse is not defined')])('passes on %s unchanged', (error) => {
    expect(toMissing('csv-parse', error)).toBe(error)
  })
})

function warning(): Promise<Error> {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  onTestFinished(() => {
    for (const listener of listeners) process.on('warning', listener)
  })
  return new Promise((resolve) => process.once('warning', resolve))
}
