export { accessMatrix } from '../tools/testing/access-matrix.js'
export { inject, storeCases } from '../tools/testing/store-cases.js'
export type { Access, AccessCallers, AccessMatrix, AccessRow } from '../tools/testing/access-matrix.js'
export type { InjectOptions, Injected, InjectedCaller, InjectedHeaders, NamedCase, OpenedStore,
  SampleRow } from '../tools/testing/store-cases.js'
