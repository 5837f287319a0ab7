/*
 * The reasons of failed requests, without an import, so that a program for browsers can have their types.
 */

/** The reasons of failed requests, stable words for programs in `meta.reason`; a business rule may have its own. */
export type Reason = 'validation' | 'token_missing' | 'token_invalid' | 'token_expired' | 'token_revoked' | 'forbidden'
  | 'not_found' | 'method' | 'conflict' | 'conflict_deleted' | 'conflict_cycle' | 'conflict_children'
  | 'conflict_parent' | 'stale' | 'precondition_missing' | 'too_large' | 'media_type' | 'unreadable' | 'unavailable'
  | 'internal' | 'idempotency_key_missing' | 'idempotency_key_invalid' | 'idempotency_key_anonymous'
  | 'idempotency_key_in_use' | 'idempotency_key_reused'

/** The reasons of errors that have none of their own: the reason phrase of their status. */
export type StatusReason = 'bad_request' | 'unauthorized' | 'payment_required' | 'not_acceptable'
  | 'proxy_authentication_required' | 'request_timeout' | 'gone' | 'length_required' | 'uri_too_long'
  | 'range_not_satisfiable' | 'expectation_failed' | 'i_m_a_teapot' | 'misdirected_request' | 'locked'
  | 'failed_dependency' | 'too_early' | 'upgrade_required' | 'too_many_requests' | 'request_header_fields_too_large'
  | 'unavailable_for_legal_reasons'
