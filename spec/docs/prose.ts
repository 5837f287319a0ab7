import { proseOf } from './pages.js'

/** The most words of a sentence, and of a cell of a table. */
export const MOST_WORDS = { sentence: 35, cell: 30 }

/** Returns the sentences of a page outside of code and tables that have too many words. */
export function longSentencesOf(text: string): string[] {
  return blocksOf(text)
    .filter((block) => !block.startsWith('|') && !block.startsWith('#'))
    .flatMap((block) => plain(block).split(/(?<=[.!?][)*"]*) +(?=\S)/))
    .filter((sentence) => wordsIn(sentence) > MOST_WORDS.sentence)
}

/** Returns the cells of a page's tables that have too many words. */
export function longCellsOf(text: string): string[] {
  return proseOf(text).split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => plain(line).split(/(?<!\\)\|/))
    .filter((cell) => wordsIn(cell) > MOST_WORDS.cell)
}

/** Returns paragraphs, items of lists and lines of tables. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let isOpen = false
  for (const line of proseOf(text).split('\n')) {
    const start = /^\s*(?:[-*]|\d+\.) +(.*)$/.exec(line)?.[1]
    if (line.trim() === '') isOpen = false
    else if (start !== undefined || !isOpen || /^[|#>]/.test(line)) {
      blocks.push(start ?? line)
      isOpen = !/^[|#]/.test(line)
    } else blocks[blocks.length - 1] += ` ${line.trim()}`
  }
  return blocks
}

/** Returns text whose code is one word each, and whose links are their texts. */
function plain(text: string): string {
  return text
    .replace(/``.+?``|`[^`]*`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/\b(?:e\.g|i\.e|etc|vs)\./g, 'for')
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
