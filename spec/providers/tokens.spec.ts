import { expect, it, onTestFinished, vi } from 'vitest'
import { tokenStoreOf } from '../../lib/client/providers/tokens.js'

it('tokenStoreOf keeps a token in memory by the URL of the API, outside a browser', async () => {
  const [one, other] = [tokenStoreOf('http://one.test'), tokenStoreOf('http://other.test')]
  await one.set('a')
  expect([await tokenStoreOf('http://one.test').get(), await other.get()]).toEqual(['a', null])
  await one.set(null)
  expect(await one.get()).toBeNull()
})

it('tokenStoreOf keeps a token in localStorage in a browser', async () => {
  const items = new Map<string, string>()
  const localStorage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  }
  vi.stubGlobal('window', { localStorage })
  onTestFinished(() => void vi.unstubAllGlobals())
  const store = tokenStoreOf('/admin')
  await store.set('a')
  expect([await store.get(), [...items]]).toEqual(['a', [['resourcery:/admin', 'a']]])
  await store.set(null)
  expect(items.size).toBe(0)
})

it('tokenStoreOf keeps a token in memory if localStorage is blocked', async () => {
  vi.stubGlobal('window', {
    get localStorage(): never {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    },
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const store = tokenStoreOf('/blocked')
  await store.set('a')
  expect(await store.get()).toBe('a')
  await store.set(null)
})
