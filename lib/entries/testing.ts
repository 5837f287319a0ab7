export { accessMatrix } from '../tools/testing/access-matrix.js'
export { checkApi, checkCases } from '../tools/testing/check/check-api.js'
export { inject, storeCases } from '../tools/testing/store-cases.js'
export type { Access, AccessCallers, AccessMatrix, AccessRow } from '../tools/testing/access-matrix.js'
export type { InjectOptions, Injected, InjectedCaller, InjectedHeaders, NamedCase, OpenedStore,
  SampleRow } from '../tools/testing/store-cases.js'
export type { CheckBody, CheckFinding, CheckKind, CheckOptions, CheckReport, CheckRequest, FormPart, RequestExample,
  Secret } from '../tools/testing/check/check-api.js'
