/** The codes of jose for errors about a token; those about keys, such as `ERR_JWKS_TIMEOUT`, are not among them. */
const JOSE = /^ERR_(?:JW[EST]_|JOSE_ALG_NOT_ALLOWED$|JOSE_NOT_SUPPORTED$|JWKS_NO_MATCHING_KEY$)/

/** The names of jsonwebtoken's errors. */
const JSONWEBTOKEN: readonly unknown[] = ['JsonWebTokenError', 'NotBeforeError', 'TokenExpiredError']

/** Errors of jsonwebtoken about its arguments, and those that a function gave in place of the key. */
const NO_TOKEN = /^(?:secret|error in secret|verify must|clockTimestamp|nonce must|allowInvalid|"maxAge" should)/

/**
 * Returns the reason for a 401 if an error of jose or jsonwebtoken means that the token is not valid, `undefined` for
 * any other error. The libraries are recognised by the codes and names that they document, in any version and copy.
 */
export function tokenFault(error: unknown): 'token_invalid' | 'token_expired' | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, name, message } = error as Readonly<Record<string, unknown>>
  if (typeof code === 'string' && JOSE.test(code)) return code === 'ERR_JWT_EXPIRED' ? 'token_expired' : 'token_invalid'
  if (!JSONWEBTOKEN.includes(name) || NO_TOKEN.test(String(message))) return undefined
  return name === 'TokenExpiredError' ? 'token_expired' : 'token_invalid'
}
