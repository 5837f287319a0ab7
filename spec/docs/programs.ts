/** A request that a page shows as a `curl` line, and the reply that it shows. */
export interface Exchange {
  readonly curl: string
  head: string | undefined
  reply: unknown
  /** The reply if it is a CSV file. */
  csv: string | undefined
  /** A CSV file shown before the line, which uploads it. */
  readonly file: string | undefined
}

/** One program of a page: its `ts` blocks, and the requests that are sent to it. */
export interface Program {
  /** The heading above its first block. */
  readonly title: string
  readonly source: string
  readonly exchanges: readonly Exchange[]
}

interface Block {
  readonly title: string
  readonly language: string
  readonly text: string
}

/** Returns the programs of a page in order: a `ts` block that makes an app begins a new one. */
export function programsOf(markdown: string): Program[] {
  const groups: Block[][] = []
  for (const block of blocksIn(markdown)) {
    const last = groups.at(-1)
    if (last === undefined || (makesApp(block) && last.some(({ language }) => language === 'ts'))) groups.push([block])
    else last.push(block)
  }
  return groups.map(toProgram).filter(({ source, exchanges }) => source !== '' || exchanges.length > 0)
}

function makesApp({ language, text }: Block): boolean {
  return language === 'ts' && /^const app = express\(\)/m.test(text)
}

function toProgram(blocks: readonly Block[]): Program {
  const code = blocks.filter(({ language }) => language === 'ts')
  return {
    title: code[0]?.title ?? '',
    source: code.map(({ text }) => text).join('\n'),
    exchanges: exchangesIn(blocks),
  }
}

function blocksIn(markdown: string): Block[] {
  let title = ''
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$|^#+ ([^\n]+)$/gms)].flatMap(
    ([, language, text = '', heading]) => {
      if (heading !== undefined) title = heading
      return language === undefined ? [] : [{ title, language, text }]
    },
  )
}

/**
 * A reply belongs to the `curl` line above it. A CSV file below a `curl` line is its reply, any other is sent by the
 * line below.
 */
function exchangesIn(blocks: readonly Block[]): Exchange[] {
  const exchanges: Exchange[] = []
  let file: string | undefined
  for (const [index, { language, text }] of blocks.entries()) {
    if (language === 'sh') {
      exchanges.push(
        ...curlLines(text).map((curl) => ({ curl, head: undefined, reply: undefined, csv: undefined, file })),
      )
    }
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
