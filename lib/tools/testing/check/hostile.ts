/** A host that nothing but a request names. */
export const EVIL_HOST = 'zq7x.example'

export const EVIL_MARKUP = '<script>alert(1)</script>'

/** A parameter that a name adds to a header if its quotes are not escaped. */
export const EVIL_PARAMETER = 'zq7x'

/** Letters of several units, and those whose case or form has another length. */
const LETTERS = ['👩‍👩‍👧', '𝒳', 'é', 'e\u0301', 'İ', 'ß', 'ﬀ', '名前', 'عربي']

/**
 * Strings that programs tend to handle wrongly: quotes, patterns, controls, names of properties, numbers, dates. The
 * most fruitful come first: a budget may end before the others.
 */
export const HOSTILE: readonly string[] = ["'", '\\', '%', '(', '*', '\n', ' ', '💩', '\u0000', '__proto__',
  '2026-02-30', `https://${EVIL_HOST}/`, `//${EVIL_HOST}`, EVIL_MARKUP, 'x'.repeat(300), `x"; ${EVIL_PARAMETER}="y`,
  '{', '<b>', 'null', '0', ',', '"', '`', '_', ';', '--', '/', '|', '&', '#', '<', '>', '~', '@', ':', '=', '!', '$',
  '^', '}', '[', '+', '?', ')', ']', '.*', '(?', '(a+)+$', '$&', '%s', '%d', '%zz', '%00', '%2e%2e%2f', "' OR '1'='1",
  '" OR ""="', "'; DROP TABLE x; --", "O'Brien", 'x" y', '$where', '{"$gt":""}', '[1,2]', '{}', '[]', '${7*7}',
  '{{7*7}}', '<%= 7 %>', '=1+1', '@SUM(1)', '-1+1', '../../x', '..\\..\\x', 'file:///x', 'http://[', 'http://', '//x',
  'a@b', 'C:\\x', 'a\u0000b', 'a\nb', '\r\nX-Injected: 1', '\t', ' a ', '\u00a0', '\u200b', '\u202e', '\ufeff',
  '\u2028', '\u007f', '\u001b[31m', '\ud800', 'a\udc00', ...LETTERS, '-1', '-0', '00', '1', '1.5', '1e3', '1e309',
  '-1e309', '0x10', '1_000', '1,5', 'NaN', 'Infinity', '9007199254740993', '2147483648', '99999999999999999999999',
  'undefined', 'true', 'false', 'none', 'nil', 'all', 'constructor', 'prototype', 'toString', 'hasOwnProperty',
  'valueOf', 'length', '[object Object]', 'function', 'admin', 'root', 'test', 'error', 'id', '2026-13-01',
  '0000-00-00', '99999-01-01', '24:61', 'not a date', '2026-01-01T00:00:00Z', 'en_US', 'UTC']

/** Strings that take long: for patterns that backtrack, and for columns and headers with a length. */
export const LONG: readonly string[] = [
  `${' '.repeat(30_000)}x`,
  'x'.repeat(5_000),
  'x'.repeat(70_000),
  'a@'.repeat(5_000),
  '💩'.repeat(1_000),
  '<'.repeat(10_000),
]

/** Numbers at the edges of types. */
export const NUMBERS: readonly number[] = [0, -1, 1, 2, 0.1, 1.005, -0.5, 100, 1000, 10_001, 32_768, 2_147_483_647,
  2_147_483_648, -2_147_483_649, 9_007_199_254_740_991, 9_007_199_254_740_992, 1e21, -1e21, 1.7e308]

/** Values of path arguments that name no record. */
export const NO_IDS: readonly string[] = ['0', '-1', '1.5', '1e0', '999999999', '2147483648', '99999999999999999999999',
  'abc', "'", '"', '%', '\\', '(', '*', 'null', 'undefined', 'NaN', 'true', '__proto__', 'constructor', 'toString',
  '[object Object]', '1,2', ' 1', '1 ', '\u0000', '\n', '💩', '00000000-0000-0000-0000-000000000000', '../x', 'a/b',
  '{}', '$ne', 'x'.repeat(2_000), ':id', '~', '0x1', '1;2', "1' OR '1'='1"]

/** Values that a field of another type does not expect. */
export const WRONG: readonly unknown[] = [null, '', 'text', 0, -1, 1.5, true, false, [], {}, [null], { a: null }, [[]],
  [{}], {
  a: 1,
}, ['a', 'b'], { length: 1 }, { toString: 1 }, { $gt: '' }, { __proto__: null, x: 1 }, 1e21]

/** Bodies that are no object, or none at all. */
export const BODIES: readonly (readonly [about: string, text: string, type: string | undefined])[] = [
  ['a list as the body', '[]', 'application/json'],
  ['a list of nothing', '[null]', 'application/json'],
  ['null as the body', 'null', 'application/json'],
  ['a string as the body', '"text"', 'application/json'],
  ['a number as the body', '1', 'application/json'],
  ['false as the body', 'false', 'application/json'],
  ['an empty object', '{}', 'application/json'],
  ['an empty body', '', 'application/json'],
  ['a truncated body', '{"a":', 'application/json'],
  ['a truncated string', '{"a":"b', 'application/json'],
  ['a body that is no JSON', '<xml/>', 'application/json'],
  ['a byte order mark', '\ufeff{}', 'application/json'],
  ['a duplicate key', '{"id":1,"id":2,"name":"a","name":{}}', 'application/json'],
  ['a body of deep objects', `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, 'application/json'],
  ['a body of deep lists', `${'['.repeat(2_000)}${']'.repeat(2_000)}`, 'application/json'],
  ['names of prototypes',
    '{"__proto__":{"checkedByResourcery":1},"constructor":{"prototype":{"checkedByResourcery":1}}}',
    'application/json'],
  ['a form', 'a=b&c[d]=e&c[]=f', 'application/x-www-form-urlencoded'],
  ['a form of deep names', `a${'[b]'.repeat(500)}=1`, 'application/x-www-form-urlencoded'],
  ['plain text', 'text', 'text/plain'],
  ['XML', '<a/>', 'application/xml'],
  ['a multipart body without a boundary', 'text', 'multipart/form-data'],
  ['a multipart body that is cut off', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb',
    'multipart/form-data; boundary=x'],
  ['an unknown charset', '{}', 'application/json; charset=x-none'],
  ['an unknown media type', '{}', 'application/x-none'],
  ['an invalid media type', '{}', ';;'],
  ['no media type', '{}', undefined],
  ['a body of a megabyte', JSON.stringify({ text: 'x'.repeat(1_100_000) }), 'application/json'],
]
