export { ApiError, createClient } from '../client/create-client.js'
export type { Apis, Call, CallOptions, Client, ClientOptions, Decode, DecodedEnvelope, Failed, Failure, FailureCode,
  FailureMeta, FailureReason, Fetch, FieldErrors, FileValue, ManifestRoute, NativeFile, ResourceClient, Result, Success,
  SuccessCode, SuccessMeta, Token, Tokens, Wire } from '../client/create-client.js'
