import { expect, it, onTestFinished, vi } from 'vitest'
import { enableAsyncContexts } from '../../lib/core/serve/server.js'

it('node-http reads the class that Node loads lazily, without creating an instance', () => {
  const read: unknown[] = []
  const hooks = new Proxy(process.getBuiltinModule('node:async_hooks'), {
    get(target, key) {
      read.push(key)
      return Reflect.get(target, key) as unknown
    },
  })
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(hooks)
  onTestFinished(() => spy.mockRestore())
  enableAsyncContexts()
  expect(read).toEqual(['AsyncLocalStorage'])
})
