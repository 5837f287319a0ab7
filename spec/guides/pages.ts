import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'docs/guides')

/** The pages whose programs `spec/existing` runs, with more requests than they show and packages of its own. */
export const EXISTING: readonly string[] = [
  'existing-express-app.md',
  'identity-libraries.md',
  'nestjs.md',
  'platforms.md',
]

/** What a reader does next: write a file, type a command, or look at what a command has printed. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string; readonly more: boolean }
  | { readonly kind: 'command'; readonly line: string }
  | { readonly kind: 'output'; readonly language: string; readonly text: string }

/** A page of docs/guides. */
export interface Page {
  readonly name: string
  readonly text: string
  readonly steps: readonly Step[]
}

interface Block {
  readonly language: string
  readonly title: string | undefined
  readonly text: string
}

/** Languages of programs, which a reader types in. */
const PROGRAMS = ['ts', 'js', 'prisma', 'sql']
/** Languages of what a command prints. */
const OUTPUTS = ['json', 'http', 'csv', 'txt']
/** Languages of files that are shown and not run. */
const SHOWN = ['dockerfile', 'yaml', 'nginx', 'graphql', 'html', 'mermaid']

/** Returns the pages of docs/guides, in the order of their names. */
export function readPages(): Page[] {
  return readdirSync(folder).filter((name) => name.endsWith('.md')).map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return { name, text, steps: stepsOf(text) }
  })
}

/** Returns the steps of docs/getting-started.md in one language, without the start of the other one's program. */
export function firstSteps(language: 'js' | 'ts'): Page {
  const text = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')
  const other = language === 'js' ? ' server.ts' : ' server.js'
  const steps = stepsOf(text.slice(0, text.indexOf('## Try the sample'))).filter((step) =>
    step.kind !== 'command' || !step.line.endsWith(other)
  )
  return { name: `getting-started-${language}.md`, text, steps }
}

/**
 * Returns the steps of a page. The first line of a block names its file, `// app.ts`, or its fence does,
 * `title="package.json"`. A block of a program without a name continues the file above it.
 */
export function stepsOf(markdown: string): Step[] {
  let current: string | undefined
  return blocksIn(markdown).flatMap((block): Step[] => {
    const named = block.title ?? nameIn(block.text)
    if (block.language === 'sh') return linesOf(block.text).map((line) => ({ kind: 'command', line }))
    if (named !== undefined || PROGRAMS.includes(block.language)) {
      const more = named === undefined && current !== undefined
      current = named ?? current ?? `server.${block.language}`
      return [{ kind: 'file', name: current, text: block.text, more }]
    }
    if (OUTPUTS.includes(block.language)) return [{ kind: 'output', language: block.language, text: block.text }]
    if (SHOWN.includes(block.language)) return []
    throw new Error(`A guide has a block of the language ${block.language}, which is not tested.`)
  })
}

function blocksIn(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', info = '', text = '']) => ({
    language,
    title: /title="([^"]+)"/.exec(info)?.[1],
    text,
  }))
}

/** Returns the file that the comment in the first line names. */
function nameIn(text: string): string | undefined {
  return /^(?:\/\/|#|--) ([\w./-]+\.\w+|Dockerfile)(?:[:,] .*)?\n/.exec(text)?.[1]
}

/** Returns the commands of a block; a line that ends with a backslash continues. */
function linesOf(text: string): string[] {
  return text.replaceAll(/\\\n\s*/g, ' ').split('\n').map((line) => line.trim()).filter((line) =>
    line !== '' && !line.startsWith('#')
  )
}
