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

  it('passes on other errors unchanged', () => {
    const error = new Error('Broken')
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
