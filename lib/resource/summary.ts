import { ACTIONS, isActionName } from './actions.js'

/** A sentence for a document and a role editor where nobody wrote one: `List users`, `Delete one user`, `Users: export`. */
export function defaultSummary(action: string, resource: string): string {
  const many = wordsOf(resource)
  if (!isActionName(action)) return many === '' ? capital(wordsOf(action)) : `${capital(many)}: ${wordsOf(action)}`
  const { verb, one } = ACTIONS[action]
  return `${verb} ${one ? `one ${singular(many)}` : many}`
}

/** `blog.postTags` reads `post tags`. */
export function wordsOf(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return last.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').toLowerCase()
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function singular(words: string): string {
  if (/(ss|us|is)$/.test(words)) return words
  return words.replace(/ies$/, 'y').replace(/(x|ch|sh|ss)es$|s$/, '$1')
}
