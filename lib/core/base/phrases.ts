import { STATUS_CODES } from './node-http.js'

/**
 * The phrase of each status as in RFC 9110. Node.js has those of RFC 7231 and RFC 4918 for 413 and 422, and writes them
 * into the status line, where nothing reads them.
 */
export const STATUS_PHRASES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}
