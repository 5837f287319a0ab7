import type { Header, Response } from './types.js'

/** Headers of errors, each a component. */
export const HEADERS: Readonly<Record<string, Header>> = {
  Allow: { description: 'The methods of this path, joined by commas (RFC 9110 §10.2.1)', required: true, schema: { type: 'string' } },
  RetryAfter: { description: 'When to try again (RFC 9110 §10.2.3)', schema: { type: 'string' } },
  Challenge: { description: 'What credentials are asked for (RFC 6750 §3)', schema: { type: 'string' } },
}

/** Every answer that several routes share, each a component. */
export const RESPONSES: Readonly<Record<string, Response>> = {
  BadRequest: failure('The request cannot be read.'),
  Conflict: failure('The write conflicts with what is stored, or with a rule: where a unique value is taken, `data` names its field.'),
  Error: failure('Another error, of a rule of this operation\'s own for example.'),
  Forbidden: failure('Signed in, and not allowed.', { 'WWW-Authenticate': 'Challenge' }),
  InternalError: failure('A fault of the server.'),
  MediaType: failure('The media type or charset of the body is not supported.'),
  MethodNotAllowed: failure('The path has no such method.', { Allow: 'Allow' }),
  NotFound: failure('There is no such record.'),
  NotModified: { description: 'The copy that was named by `If-None-Match` is fresh.' },
  PreconditionFailed: failure('What is stored is no longer what `If-Match` names.'),
  PreconditionRequired: failure('This is done only with `If-Match`.'),
  TooLarge: failure('The body is too large.'),
  TooManyRequests: failure('Too many requests.', { 'Retry-After': 'RetryAfter' }),
  Unauthorized: failure('Nobody is signed in, or the credentials are not valid.', { 'WWW-Authenticate': 'Challenge' }),
  Unavailable: failure('Something that the answer needs is down.', { 'Retry-After': 'RetryAfter' }),
  Validation: failure('A value breaks its rule: `data` names the fields.', {}, 'ValidationEnvelope'),
}

function failure(description: string, headers: Readonly<Record<string, string>> = {}, envelope = 'ErrorEnvelope'): Response {
  const references = Object.entries(headers).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }])
  return {
    description,
    ...(references.length > 0 && { headers: Object.fromEntries(references) as Record<string, { $ref: string }> }),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${envelope}` } } },
  }
}
