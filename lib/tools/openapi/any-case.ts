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

/** Returns true for a letter with one character in each case, both in ASCII or neither, as patterns compare them. */
function isLetter(character: string): boolean {
  const cases = [character.toLowerCase(), character.toUpperCase()]
  const [lower = '', upper = ''] = cases
  return lower !== upper && cases.every(({ length }) => length === 1) && isAscii(lower) === isAscii(upper)
}

function isAscii(character: string): boolean {
  return character < '\u0080'
}

function bothCases(letter: string): string {
  return `${letter.toLowerCase()}${letter.toUpperCase()}`
}

/** Returns a text in upper case if it is in lower case, else in lower case. */
export function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()
}
