import type { AuthScheme } from '../../core/index.js'

/** A JSON Schema of the dialect 2020-12, as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly description?: string
}

export interface Reference {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly allowEmptyValue?: true
  readonly style?: string
  readonly explode?: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
  readonly example?: unknown
}

export type Content = Readonly<Record<string, MediaType>>

export interface RequestBody {
  readonly required: boolean
  readonly content: Content
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Content
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response | Reference>>
  /** The permission id that is required. */
  readonly 'x-permission'?: string | readonly string[]
}

export interface Server {
  readonly url: string
  readonly description?: string
}

export interface Info {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}

/** A Security Scheme Object: those of `auth`, and others that an application adds. */
export type SecurityScheme = AuthScheme | {
  readonly type: 'oauth2' | 'mutualTLS' | 'http'
  readonly [property: string]: unknown
}

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, Response>>
  readonly headers: Readonly<Record<string, Header>>
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
}

/** A copy of a document, which may be changed. */
export type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T

/** An OpenAPI 3.1 document, as far as we write one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Info
  readonly servers?: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Components
}
