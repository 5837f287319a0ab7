export { HttpError, authProvider, dataProvider } from '../client/refine/data-provider.js'
export type { ActionResponse, AuthProvider, AuthProviderOptions, CommonParams, CreateManyParams, CustomParams,
  DataProvider, DataProviderOptions, DataRecord, Filter, Identifier, ListParams, ListResponse, ManyParams, ManyResponse,
  Meta, OneParams, OneResponse, ResourceOptions, Sorter, TokenStore,
  VariablesParams } from '../client/refine/data-provider.js'
