import { capital, distanceOf, singularOf } from '../../core/index.js'

/** The names of a table in the code and in the address. */
export interface Names {
  /** The variable of the resource: `bookAuthors`. */
  readonly many: string
  /** The variable of the schema of a record: `BookAuthor`. */
  readonly one: string
  /** The path and the name of the file: `book-authors`. */
  readonly path: string
}

/** The words of the language, and the names that a file of a resource imports. */
const RESERVED =
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function if implements import in instanceof interface let new null package private protected public
  return static super switch this throw true try typeof undefined var void while with yield async module exports require
  globalThis process console
  crud param z app express mountResource store kyselyStore knexStore drizzleStore prismaStore`.split(/\s+/)
/** Names of types that the files use. */
const TYPES = ['Express', 'Referenced', 'Kysely']

/** Names a table in the code: `book_authors` is `bookAuthors`, `BookAuthor` and `/book-authors`. */
export function namesOf(table: string, taken: readonly string[] = [], isModel = false): Names {
  const plain = table.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2').normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const words = plain.toLowerCase().replaceAll('ß', 'ss').split(/[^a-z0-9]+/).filter(Boolean)
  const last = words.pop() ?? 'records'
  const single = singularOf(last)
  const plural = isModel && single === last ? pluralOf(last) : last
  const many = identifier(camel([...words, plural]))
  const singular = capital(identifier(camel([...words, single])))
  const isTaken = [...taken, ...TYPES, many].includes(singular) || singular in globalThis
  return {
    many: [...taken, ...RESERVED].includes(many) ? `${many}Resource` : many,
    one: isTaken ? `${singular}Record` : singular,
    path: [...words, plural].join('-'),
  }
}

function camel(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : capital(word))).join('')
}

function identifier(name: string): string {
  return /^\d/.test(name) ? `table${name}` : name
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** Returns the names that are like one: it is in them, they are in it, or few letters differ. */
export function nearest(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase()
  const distances = names.map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
  const near = distances.filter(({ candidate, distance }) =>
    distance <= Math.max(1, Math.floor(wanted.length / 3)) || candidate.toLowerCase().split('.').at(-1) === wanted
  )
  return near.sort((first, second) => first.distance - second.distance).slice(0, 5).map(({ candidate }) => candidate)
}
