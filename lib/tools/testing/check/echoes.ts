import { EVIL_HOST, EVIL_MARKUP, EVIL_PARAMETER } from './hostile.js'
import { propertiesOf } from './collections.js'
import type { CheckRequest, Fault, Observed } from './model.js'

/** Finds parts of a request that come back where they take effect: in a redirect, in markup, in the headers of CORS. */
export function echoFaults(request: CheckRequest, observed: Observed): Fault[] {
  const header = (name: string): string => observed.headers[name]?.[0] ?? ''
  const isRedirect = observed.status >= 300 && observed.status < 400
  const isMarkup = /html|svg/.test(header('content-type'))
  const isTrusted = header('access-control-allow-origin') === `https://${EVIL_HOST}`
    && header('access-control-allow-credentials') === 'true'
  // RFC 6266 §4.1: a quote in a quoted string is escaped.
  const parameters = header('content-disposition').replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const credential = repeatedCredential(request, observed)
  const faults: readonly (readonly [isFound: boolean, message: string])[] = [
    [isRedirect && isEvil(header('location')), 'The reply redirects to any site that a request names'],
    [isMarkup && observed.text.includes(EVIL_MARKUP), 'The reply is markup that contains markup of the request'],
    [isTrusted && request.headers.origin !== undefined,
      'Pages of any origin may read the reply with the credentials of a browser'],
    [parameters.includes(`${EVIL_PARAMETER}=`), 'A string of a request adds parameters to `Content-Disposition`'],
    [credential !== undefined, `The reply repeats the \`${credential}\` of the request`],
  ]
  return faults.filter(([isFound]) => isFound).map(([, message]) => ({ kind: 'leak', message }))
}

/** Fields of what only the caller may know. */
const CREDENTIAL = /pass(?:word|wd|phrase|code)|pwd|secret|^pin$|cvv|cvc|cardnumber|card_number/i

/** Returns the field of a credential that a refusal repeats, and so brings to logs and screens. */
function repeatedCredential({ body }: CheckRequest, { status, text }: Observed): string | undefined {
  if (status < 400 || body === undefined || !('json' in body)) return undefined
  return Object.entries(propertiesOf(body.json)).find(([name, value]) =>
    CREDENTIAL.test(name) && typeof value === 'string' && /^(?=.*\d)[\w -]{8,100}$/.test(value) && text.includes(value)
  )?.[0]
}

function isEvil(location: string): boolean {
  const base = 'http://localhost/'
  return URL.canParse(location, base) && new URL(location, base).hostname === EVIL_HOST
}
