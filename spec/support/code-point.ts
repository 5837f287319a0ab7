import fc from 'fast-check'

/**
 * Any code point, unpaired surrogates among them. fast-check's own unit `binary` fills a map with all 1,114,112 of them,
 * which takes longer than the tests.
 */
export const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))

/** Any code point that is a character of UTF-8. */
export const character = codePoint.filter((text) => !/\p{Surrogate}/u.test(text))
