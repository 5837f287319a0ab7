/** A request that the README shows as a `curl` line, and what it shows of the reply. */
export interface Exchange {
  readonly curl: string
  head: string | undefined
  reply: unknown
  /** The reply where it is a CSV file. */
  csv: string | undefined
  /** A CSV file that the README shows before the line, which sends it. */
  readonly file: string | undefined
}

/** One section of the README: its `ts` blocks as one program, and the requests that are sent to it. */
export interface Section {
  readonly title: string
  readonly program: string
  readonly exchanges: readonly Exchange[]
}

interface Block {
  readonly language: string
  readonly text: string
}

/** The sections that have code, in order; what stands above the first heading is one of them. */
export function sectionsOf(markdown: string): Section[] {
  return markdown.split(/^## /m).map(toSection).filter(({ program, exchanges }) => program !== '' || exchanges.length > 0)
}

function toSection(markdown: string, index: number): Section {
  const title = index === 0 ? 'The first page' : (markdown.split('\n', 1)[0] ?? '')
  const blocks = blocksIn(markdown)
  const program = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text).join('\n')
  return { title, program, exchanges: exchangesIn(blocks) }
}

function blocksIn(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }))
}

/** A reply belongs to the `curl` line above it, a CSV file that is none to the line below. */
function exchangesIn(blocks: readonly Block[]): Exchange[] {
  const exchanges: Exchange[] = []
  let file: string | undefined
  for (const [index, { language, text }] of blocks.entries()) {
    if (language === 'sh') exchanges.push(...curlLines(text).map((curl) => ({ curl, head: undefined, reply: undefined, csv: undefined, file })))
    const last = exchanges.at(-1)
    if (language === 'csv') {
      if (last !== undefined && blocks[index - 1]?.language === 'sh') last.csv = text
      else file = text
    }
    if (last !== undefined && language === 'http') last.head = text
    if (last !== undefined && language === 'json') last.reply = JSON.parse(text) as unknown
  }
  return exchanges
}

function curlLines(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('curl '))
}
