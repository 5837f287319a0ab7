import { EVIL_HOST, EVIL_MARKUP, EVIL_PARAMETER } from './hostile.js'
import { propertiesOf } from './collections.js'
import type { CheckRequest, Fault, Observed } from './model.js'

/** Finds parts of a request that come back where they take effect: in a redirect, in markup, in the headers of CORS. */
export function echoFaults(request: CheckRequest, observed: Observed): Fault[] {
  const messages = [redirectFault(observed), markupFault(observed), originFault(request, observed),
    dispositionFault(observed), credentialFault(request, observed)]
  return messages.flatMap((message): Fault[] => message === undefined ? [] : [{ kind: 'leak', message }])
}

/** Fields of what only the caller may know. */
const CREDENTIAL = /pass(?:word|wd|phrase|code)|pwd|secret|^pin$|cvv|cvc|cardnumber|card_number/i

/** A refusal that repeats a credential brings it to logs and screens. */
function credentialFault({ body }: CheckRequest, { status, text }: Observed): string | undefined {
  if (status < 400 || body === undefined || !('json' in body)) return undefined
  const entries = Object.entries(propertiesOf(body.json))
  const found = entries.find(([name, value]) =>
    CREDENTIAL.test(name) && typeof value === 'string' && /^(?=.*\d)[\w -]{8,100}$/.test(value) && text.includes(value)
  )?.[0]
  return found && `The reply repeats the \`${found}\` of the request`
}

function redirectFault({ status, headers }: Observed): string | undefined {
  const isRedirect = status >= 300 && status < 400
  return isRedirect && isEvil(headers.location?.[0] ?? '')
    ? 'The reply redirects to any site that a request names'
    : undefined
}

function markupFault({ headers, text }: Observed): string | undefined {
  const isMarkup = /html|svg/.test(headers['content-type']?.[0] ?? '')
  return isMarkup && text.includes(EVIL_MARKUP) ? 'The reply is markup that contains markup of the request' : undefined
}

function originFault(request: CheckRequest, { headers }: Observed): string | undefined {
  const isTrusted = headers['access-control-allow-origin']?.[0] === `https://${EVIL_HOST}`
    && headers['access-control-allow-credentials']?.[0] === 'true'
  return isTrusted && request.headers.origin !== undefined
    ? 'Pages of any origin may read the reply with the credentials of a browser'
    : undefined
}

/** RFC 6266 §4.1: a quote in a quoted string is escaped. */
function dispositionFault({ headers }: Observed): string | undefined {
  const parameters = (headers['content-disposition']?.[0] ?? '').replace(/"(?:[^"\\]|\\.)*"/g, '""')
  return parameters.includes(`${EVIL_PARAMETER}=`)
    ? 'A string of a request adds parameters to `Content-Disposition`'
    : undefined
}

function isEvil(location: string): boolean {
  try {
    return new URL(location, 'http://localhost/').hostname === EVIL_HOST
  } catch {
    return false
  }
}
