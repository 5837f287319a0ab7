import { ACTIONS, isActionName } from './actions.js'
import { singularOf } from './singular.js'

/** Returns a sentence for a document and a role editor where none is declared: `List users`, `Delete one user`, `Users: export`. */
export function defaultSummary(action: string, resource: string, singular?: string): string {
  const many = wordsOf(resource)
  if (!isActionName(action)) return many === '' ? capital(wordsOf(action)) : `${capital(many)}: ${wordsOf(action)}`
  const { verb, one } = ACTIONS[action]
  return `${verb} ${one ? `one ${singular === undefined ? singularOf(many) : wordsOf(singular)}` : many}`
}

/** Returns the words of a name: `blog.postTags` becomes `post tags`. */
export function wordsOf(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return last.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').toLowerCase()
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
