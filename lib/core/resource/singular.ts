/** Plurals that the rules below would get wrong, with their singular. */
// dprint-ignore
const IRREGULAR: Readonly<Record<string, string>> = {
  men: 'man', women: 'woman', mice: 'mouse', feet: 'foot', teeth: 'tooth',
  geese: 'goose', indices: 'index', matrices: 'matrix', vertices: 'vertex', appendices: 'appendix', axes: 'axis',
  criteria: 'criterion', phenomena: 'phenomenon', quizzes: 'quiz', leaves: 'leaf', lives: 'life', wives: 'wife',
  knives: 'knife', halves: 'half', shelves: 'shelf', wolves: 'wolf', thieves: 'thief', loaves: 'loaf',
  calves: 'calf', elves: 'elf', scarves: 'scarf', selves: 'self', alumni: 'alumnus', cacti: 'cactus', oxen: 'ox',
  movies: 'movie', cookies: 'cookie', calories: 'calorie', selfies: 'selfie', zombies: 'zombie', caches: 'cache',
  niches: 'niche', aliases: 'alias', atlases: 'atlas', biases: 'bias', canvases: 'canvas', gases: 'gas', lenses: 'lens',
  menus: 'menu', shoes: 'shoe', toes: 'toe', canoes: 'canoe',
}

/** Words that end like a plural and are none. */
// dprint-ignore
const UNCHANGED = new Set([
  'alias', 'atlas', 'bias', 'canvas', 'chaos', 'gas', 'lens', 'news', 'series', 'species', 'analytics', 'logistics',
  'economics', 'physics', 'mathematics', 'politics', 'electronics', 'headquarters', 'clothes',
])

/** The first ending that matches is replaced. */
const RULES: readonly (readonly [ending: RegExp, replacement: string])[] = [
  [/(child)ren$/i, '$1'],
  [/(p)eople$/i, '$1erson'],
  [/smen$/i, 'sman'],
  [/(analy|cri|diagno|hypothe|parenthe|synop|synthe|^the)ses$/i, '$1sis'],
  [/(stat|vir|bon|camp|cens|foc|gen|radi|syllab|prospect|surpl|^pl|^b)uses$/i, '$1us'],
  [/(ss|us|is)$/i, '$1'],
  [/^([a-z]ie)s$/i, '$1'],
  [/([^aeiou])ies$/i, '$1y'],
  [/(ss|sh|ch|x|zz|[^aeiou]o)es$/i, '$1'],
  [/(..)s$/is, '$1'],
]

/** The last word of a name: `Tags` of `postTags`. */
const LAST_WORD = /^(.*(?:[^A-Za-z]|[a-z0-9](?=[A-Z])))?(.+)$/s

/** Returns the singular of the last word of a name: `postTags` becomes `postTag`, `people` becomes `person`. */
export function singularOf(name: string): string {
  const [, before = '', word = ''] = LAST_WORD.exec(name) ?? []
  return before + singularWord(word)
}

function singularWord(word: string): string {
  const plural = word.toLowerCase()
  const irregular = Object.hasOwn(IRREGULAR, plural) ? IRREGULAR[plural] : undefined
  if (irregular !== undefined) return word.charAt(0) + irregular.slice(1)
  // An acronym is written in capitals, and its plural with a small s: `DNS` is one, `URLs` are several.
  if (UNCHANGED.has(plural) || /^[A-Z0-9]+$/.test(word)) return word
  if (/^[A-Z0-9]{2,}s$/.test(word)) return word.slice(0, -1)
  const rule = RULES.find(([ending]) => ending.test(word))
  return rule === undefined ? word : word.replace(...rule)
}
