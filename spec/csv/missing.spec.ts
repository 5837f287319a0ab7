import { describe, expect, it, onTestFinished } from 'vitest'
import { loadWith } from '../../lib/csv/missing.js'

describe('loadWith', () => {
  it('loads an optional package once and returns it', async () => {
    let loads = 0
    const load = loadWith('csv-parse', () => Promise.resolve(++loads))
    expect([await load(), await load(), loads]).toEqual([1, 1, 1])
  })

  it('warns about a missing package, and rejects with its name', async () => {
    const warned = warning()
    const missing = Object.assign(new Error("Cannot find package 'csv-parse' imported from here"), {
      code: 'ERR_MODULE_NOT_FOUND',
    })
    const load = loadWith('csv-parse', () => Promise.reject(missing))
    await expect(load()).rejects.toMatchObject({
      code: 'csv_missing',
      message: 'CSV is used, and the package csv-parse is not installed. Run `npm install csv-parse`.',
    })
    expect(await warned).toMatchObject({ code: 'RESOURCERY_CSV_MISSING' })
  })

  it('passes on other errors unchanged', async () => {
    const warned = warning()
    await expect(loadWith('csv-parse', () => Promise.reject(new Error('Broken')))()).rejects.toThrow('Broken')
    expect(await warned).toMatchObject({ message: 'Error: Broken' })
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
