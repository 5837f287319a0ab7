import type { Parameter } from './types.js'

/** What `RequestParam.page` reads of a query; a page may be longer than its usual maximum where the handler says so. */
export const PAGING: readonly Parameter[] = [
  { name: 'page', in: 'query', required: false, description: 'The page, from 1', schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'limit', in: 'query', required: false, description: 'The length of a page', schema: { type: 'integer', minimum: 1, default: 20 } },
  { name: 'search', in: 'query', required: false, description: 'A text to look for, literally', schema: { type: 'string', maxLength: 200, default: '' } },
]
