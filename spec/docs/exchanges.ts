import { expect } from 'vitest'
import { curl } from './curl.js'
import type { Exchange } from './programs.js'

/** Sends the requests of a page to a program, and compares the replies with those on the page. */
export async function expectReplies(
  exchanges: readonly Exchange[],
  url: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  for (const { curl: line, head, reply, csv, file } of exchanges) {
    const response = await curl(line, url, variables, file)
    if (csv === undefined) expect(sameIds(await response.json()), line).toEqual(sameIds(reply))
    else expect(await response.text(), line).toBe(csv.replaceAll('\n', '\r\n'))
    if (head !== undefined) expectHead(response, head)
  }
}

/** Returns JSON whose ids of MongoDB, which are random, are all the same. */
function sameIds(reply: unknown): unknown {
  if (reply === undefined) return undefined
  return JSON.parse(JSON.stringify(reply).replace(/"[0-9a-f]{24}"/g, '"id"')) as unknown
}

function expectHead(response: Response, head: string): void {
  const [start, ...lines] = head.trim().split('\n')
  expect(start).toBe(`HTTP/1.1 ${response.status} ${response.statusText}`)
  for (const line of lines) {
    const [name = '', value] = line.split(': ', 2)
    expect(response.headers.get(name)).toBe(value)
  }
}

/** Returns a program as a module that exports the names which a test needs and picks a free port. */
export function moduleOf(source: string): string {
  const names = ['app', 'running', 'token'].filter((one) => new RegExp(`^const ${one}\\b`, 'm').test(source))
  return `${source.replaceAll('port: 3000', 'port: 0')}\nexport { ${names.join(', ')} }\n`
}
