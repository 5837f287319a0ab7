/** A class, an escape, the beginning of a group, or one character. */
const TOKENS = /\[\^?(?:\\.|[^\]\\])*\]|\\.|\(\?(?:<[=!]?|[:=!])?|[^]/g

/** A range, an escape or one character of a class. */
const MEMBERS = /[^\\-]-[^\\\]]|\\.|[^]/g

/** Escapes and groups whose letters are no text: a property, a code, a name. */
const UNCLEAR = /\\[ckpPux]|\(\?<(?![=!])/

/**
 * Returns a pattern that matches the letters of another one in upper and lower case, since JSON Schema has no flags;
 * `undefined` for one that is too unusual.
 */
export function anyCase(source: string): string | undefined {
  if (UNCLEAR.test(source)) return undefined
  return [...source.matchAll(TOKENS)].map(([token]) => anyCaseToken(token)).join('')
}

function anyCaseToken(token: string): string {
  if (token.length === 1) return isLetter(token) ? `[${bothCases(token)}]` : token
  if (!token.startsWith('[')) return token
  const negation = token.startsWith('[^') ? '^' : ''
  const members = token.slice(1 + negation.length, -1).matchAll(MEMBERS)
  return `[${negation}${[...members].map(([member]) => anyCaseMember(member)).join('')}]`
}

function anyCaseMember(member: string): string {
  const [first = '', , last = ''] = member
  if (member.length === 1) return isLetter(member) ? bothCases(member) : member
  return isLetter(first) && isLetter(last) ? `${member}${swapCase(first)}-${swapCase(last)}` : member
}

function isLetter(character: string): boolean {
  return /^[a-z]$/i.test(character)
}

function bothCases(letter: string): string {
  return `${letter.toLowerCase()}${letter.toUpperCase()}`
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
}
