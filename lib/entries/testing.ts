export { inject, storeCases } from '../tools/testing/store-cases.js'
export type { InjectOptions, Injected, InjectedCaller, InjectedHeaders, NamedCase, OpenedStore,
  SampleRow } from '../tools/testing/store-cases.js'
