/** The messages of replies without an error. They are recognised by their text, so an action may repeat one. */
export const SUCCESSES = {
  'success.ok': 'ok',
  'success.created': 'Created',
  'success.saved': 'Saved',
  'success.deleted': 'Deleted',
  'success.restored': 'Restored',
  'success.purged': 'Deleted for good',
  'success.imported': 'Imported',
} as const
