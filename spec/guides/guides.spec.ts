import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { follow } from './follow.js'
import { installBuilt } from './install-built.js'
import { EXISTING, firstSteps, readPages, root, type Page } from './pages.js'
import { startRedis } from './redis.js'
import { startS3 } from './s3.js'

const here = join(root, 'spec/guides')
const server = process.env.TEST_POSTGRES_URL ?? ''

beforeAll(() => installBuilt(here))

const pages = readPages()

it.each(pages.filter(({ name }) => !EXISTING.includes(name)))(
  'docs/guides/$name runs as its reader types it',
  { timeout: 240_000 },
  async (page) => follow(page, here, await environmentFor(page)),
)

describe.each(pages)('docs/guides/$name', (page) => {
  it('links to existing headings and files', () => {
    for (const [, target = ''] of page.text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path = '', anchor] = target.split('#', 2)
      const file = path === '' ? join(root, 'docs/guides', page.name) : join(root, 'docs/guides', path)
      expect(existsSync(file), target).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), target).toContain(anchor)
    }
  })

  it('has short sentences and cells', () => {
    expect(sentencesOf(page.text).filter((one) => words(one) > 35)).toEqual([])
    expect(cellsOf(page.text).filter((one) => words(one) > 30)).toEqual([])
  })

  it('is listed in the index', () => {
    const index = readFileSync(join(dirname(here), '../docs/README.md'), 'utf8')
    expect(index.includes(`(guides/${page.name})`)).toBe(true)
  })
})

describe.each(['js', 'ts'] as const)('docs/getting-started.md in %s', (language) => {
  it('works after `npm init -y`', { timeout: 240_000 }, async () => {
    const page = firstSteps(language)
    await follow(page, here, await environmentFor(page))
  })
})

/** Opens what a page uses: a database of its own, and Redis. */
async function environmentFor({ name, text }: Page): Promise<Record<string, string>> {
  const env: Record<string, string> = {}
  if (text.includes('DATABASE_URL')) env.DATABASE_URL = await openDatabase(name)
  if (text.includes('S3_ENDPOINT')) env.S3_ENDPOINT = await startS3()
  if (text.includes('REDIS_URL')) env.REDIS_URL = await startRedis()
  return env
}

async function openDatabase(page: string): Promise<string> {
  const name = `guide_${page.replace(/\W/g, '_')}_${process.pid}`
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  onTestFinished(() => run(`drop database ${name} with (force)`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Returns the anchors of a page's headings, as hosting services make them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)]
  return headings.map(([, title = '']) => title.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'))
}

function proseOf(text: string): string {
  return text.replace(/^```.*?^```$/gms, '')
}

function sentencesOf(text: string): string[] {
  const paragraphs = proseOf(text).split(/\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |#))/).filter((one) =>
    !one.trimStart().startsWith('|')
  )
  return paragraphs.flatMap((one) => one.replaceAll('\n', ' ').split(/(?<=[.:;!?])\s+/))
}

function cellsOf(text: string): string[] {
  return proseOf(text).split('\n').filter((line) => line.startsWith('|')).flatMap((line) => line.split('|'))
}

function words(text: string): number {
  return text.trim().split(/\s+/).length
}
