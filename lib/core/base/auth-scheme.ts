export interface Described {
  /** For people who read the document. */
  readonly description?: string | undefined
}

/** A key in a header, in the query or in a cookie. */
interface ApiKeyScheme extends Described {
  readonly type: 'apiKey'
  readonly in: 'header' | 'query' | 'cookie'
  /** The name of the header, parameter or cookie. */
  readonly name: string
}

/** Credentials in the `Authorization` header. */
interface HttpScheme extends Described {
  readonly type: 'http'
  readonly scheme: 'basic' | 'bearer'
  /** Of a bearer token, for people: `JWT`. */
  readonly bearerFormat?: string | undefined
}

/** Tokens of an identity provider. */
interface OpenIdScheme extends Described {
  readonly type: 'openIdConnect'
  /** The provider's metadata: `https://id.example.com/.well-known/openid-configuration`. */
  readonly openIdConnectUrl: string
}

/** The credentials that a caller sends, as a Security Scheme Object of OpenAPI. */
export type AuthScheme = ApiKeyScheme | HttpScheme | OpenIdScheme

/** The authentication schemes that an application challenges for (RFC 9110 §11.6.1). */
export type Challenges = readonly ('Bearer' | 'Basic' | 'ApiKey')[]
