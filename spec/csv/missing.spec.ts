import { describe, expect, it, onTestFinished } from 'vitest'
import { loadWith } from '../../lib/csv/missing.js'

describe('a package that not everybody installs', () => {
  it('is loaded at once, and handed out when it is needed', async () => {
    let loads = 0
    const load = loadWith('csv-parse', () => Promise.resolve(++loads))
    expect([await load(), await load(), loads]).toEqual([1, 1, 1])
  })

  it('is named in a warning when it is missing, and to whoever needs it', async () => {
    const warned = warning()
    const missing = Object.assign(new Error("Cannot find package 'csv-parse' imported from here"), { code: 'ERR_MODULE_NOT_FOUND' })
    const load = loadWith('csv-parse', () => Promise.reject(missing))
    await expect(load()).rejects.toMatchObject({ code: 'csv_missing', message: 'CSV is used, and the package csv-parse is not installed. Run `npm install csv-parse`.' })
    expect(await warned).toMatchObject({ code: 'RESOURCERY_CSV_MISSING' })
  })

  it('is not blamed for another fault', async () => {
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
