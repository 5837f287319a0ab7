export { HttpError, authProvider, dataProvider } from '../client/react-admin/data-provider.js'
export type { AuthProvider, AuthProviderOptions, CallResult, CommonParams, DataParams, DataProvider,
  DataProviderOptions, DataRecord, DeleteParams, HttpErrorBody, Identifier, ListParams, ListResult, ManyParams,
  ManyResult, OneParams, OneResult, ReferenceParams, ResourceOptions, TokenStore,
  UpdateParams } from '../client/react-admin/data-provider.js'
