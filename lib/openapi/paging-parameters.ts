import type { Parameter } from './types.js'

/** What `RequestParam.page` reads of a query without options; a list with other bounds declares them in its `input`. */
export const PAGING: readonly Parameter[] = [
  { name: 'page', in: 'query', required: false, description: 'The page, from 1', schema: { type: 'integer', minimum: 1, default: 1 } },
  { name: 'limit', in: 'query', required: false, description: 'The length of a page', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  { name: 'search', in: 'query', required: false, description: 'A text to look for, literally', schema: { type: 'string', maxLength: 200, default: '' } },
]
