import { expect, it, onTestFinished, vi } from 'vitest'
import { followAsyncContexts } from '../../lib/serve/async-context.js'

it('reads the class of which Node waits to be asked, and makes nothing of it', () => {
  const read: unknown[] = []
  const hooks = new Proxy(process.getBuiltinModule('node:async_hooks'), {
    get(target, key) {
      read.push(key)
      return Reflect.get(target, key) as unknown
    },
  })
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(hooks)
  onTestFinished(() => spy.mockRestore())
  followAsyncContexts()
  expect(read).toEqual(['AsyncLocalStorage'])
})
