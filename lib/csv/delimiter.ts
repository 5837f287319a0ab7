/** What may stand between cells; where a first line has as many of one as of another, the former. */
const DELIMITERS = [',', ';', '\t']

/** How much is read at most to find the end of a first line, in bytes. */
const MOST = 65_536

/** The delimiter of a file by its first line, and the file with the bytes that were read to find it. */
export async function delimiterOf(file: AsyncIterable<Buffer>): Promise<{ delimiter: string; whole: AsyncIterable<Buffer> }> {
  const rest = file[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let step = await rest.next()
  while (step.done !== true) {
    head = Buffer.concat([head, step.value])
    if (head.length > MOST || /[\r\n]/.test(head.toString('latin1'))) break
    step = await rest.next()
  }
  return { delimiter: mostFrequent(firstLine(head.toString())), whole: rejoined(head, rest) }
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value
  } finally {
    await rest.return?.()
  }
}

/** Without what stands in quotes. */
function firstLine(text: string): string {
  return text.replaceAll(/"[^"]*("|$)/g, '').replace(/[\r\n][^]*/, '')
}

function mostFrequent(line: string): string {
  const count = (delimiter: string): number => line.split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',')
}
