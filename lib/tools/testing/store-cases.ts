import { checkOptionNames, MisuseError, propertyOf, show } from '../../core/index.js'
import { conditionCases } from './condition-cases.js'
import { orderCases } from './order-cases.js'
import type { OpenedStore } from './sample-row.js'
import { writingCases } from './writing-cases.js'

export { inject } from './inject.js'
export type { Injected, InjectedCaller, InjectedHeaders, InjectOptions } from './inject.js'
export type { OpenedStore, SampleRow } from './sample-row.js'

/** A test of a store. */
export interface NamedCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * Returns the contract of a store as tests for any test runner: each opens an empty store of its own and closes it.
 *
 * The table has the columns of {@link SampleRow}: `id`, `code`, which is unique, `name`, `age`, `views`, `active` and
 * `createdAt`.
 *
 * @example
 * for (const { name, run } of storeCases(openMyStore)) test(name, run)
 */
export function storeCases(open: () => Promise<OpenedStore>): NamedCase[] {
  if (typeof open !== 'function') {
    throw new MisuseError(
      'testing_store',
      'storeCases needs a function that opens a store: storeCases(async () => ({ store, close })).',
    )
  }
  const cases = { ...writingCases, ...conditionCases, ...orderCases }
  return Object.entries(cases).map(([name, test]) => ({
    name,
    run: async () => {
      const opened: unknown = await open()
      checkOptionNames('The function of storeCases', opened, ['store', 'close'], 'testing_option_unknown')
      checkOpened(opened)
      const { store, close } = opened
      try {
        await test(store)
      } finally {
        await close?.()
      }
    },
  }))
}

/** @throws MisuseError `testing_store` for anything without a store. */
function checkOpened(opened: unknown): asserts opened is OpenedStore {
  const store = propertyOf(opened, 'store')
  if (typeof store === 'object' && store !== null) return
  throw new MisuseError(
    'testing_store',
    `The function of storeCases resolved to ${show(opened)}. It must return { store } or { store, close }.`,
  )
}
