import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCsv, type CsvRecord } from '../../lib/core/csv/read-csv.js'
import { toCsv } from '../../lib/core/csv/send-csv.js'
import { character } from '../support/code-point.js'

describe('readCsv', () => {
  it('reads quoted commas and line breaks, and the line number of each record', async () => {
    expect(await read('id,title\r\n1,"a ""b"", c"\r\n\r\n2,"two\r\nlines\rand\nmore"\r\n3,x\r\n')).toEqual([
      { line: 1, cells: ['id', 'title'] },
      { line: 2, cells: ['1', 'a "b", c'] },
      { line: 4, cells: ['2', 'two\r\nlines\rand\nmore'] },
      { line: 8, cells: ['3', 'x'] },
    ])
  })

  it.each(['\n', '\r\n', '\r'])('accepts %j as line break, and a last line without one', async (end) => {
    expect(await read(['a,b', '1,2', '3,4'].join(end))).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', '2'] },
      { line: 3, cells: ['3', '4'] },
    ])
  })

  it('accepts different line breaks in one file', async () => {
    expect((await read('a\r\n1\n2\r3')).map(({ line, cells }) => [line, ...cells])).toEqual([[1, 'a'], [2, '1'], [
      3,
      '2',
    ], [4, '3']])
  })

  it('skips lines of empty cells', async () => {
    expect((await read('a,b\n,\n1,\n"",""\n')).map(({ line }) => line)).toEqual([1, 3])
  })

  it.each([['a;b\n1,5;2', ['1,5', '2']], ['a\tb\n1;5\t2', ['1;5', '2']], ['"x;y;z",b\n1,2', ['1', '2']], ['one\n1;2', [
    '1;2',
  ]]])('detects the delimiter of %j from its first line', async (text, cells) => {
    expect((await read(text))[1]?.cells).toEqual(cells)
  })

  it('ignores a byte order mark', async () => {
    expect((await read('\uFEFFa,b\n1,2'))[0]?.cells).toEqual(['a', 'b'])
    expect((await read('\uFEFF"a",b\n1,2'))[0]?.cells).toEqual(['a', 'b'])
  })

  it.each([
    ['a,b\n1,2\n3,"x"y\n', 'line.3', /quote must not be here/],
    ['a,b\n1,2\n3,x"y\n', 'line.3', /quote must not be here/],
    ['a,b\r\n"1\r\n1",2\r\n3,"x\r\n\r\n', 'line.4', /never closed/],
    [`a\n1\n"${'x'.repeat(2_000_000)}`, 'line.3', /too long/],
  ])('names the line of a syntax error (%#)', async (text, line, message) => {
    await expect(read(text)).rejects.toMatchObject({
      status: 422,
      fields: { [line]: [expect.stringMatching(message)] },
    })
  })

  it.each([['UTF-16', Buffer.from('\uFEFFa,b', 'utf16le')], ['Latin-1', Buffer.from('name\nJürgen', 'latin1')], [
    'a broken end',
    Buffer.from('name\nJü').subarray(0, -1),
  ], ['a workbook', Buffer.from('PK\x03\x04\0\0')]])('refuses %s with 415', async (_name, bytes) => {
    await expect(readAll([bytes])).rejects.toMatchObject({ status: 415, reason: 'media_type' })
  })

  it('reads chunks of any size', async () => {
    const bytes = Buffer.from('\uFEFFnäme;b\r\n"ü\r\n""";2\r\n')
    expect(await readAll(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(await readAll([bytes]))
    expect(await readAll([])).toEqual([])
  })

  it('reads lazily, and closes the file', async () => {
    let pieces = 0
    let close = (): void => undefined
    const closed = new Promise<void>((resolve) => (close = resolve))
    const file = async function*() {
      try {
        for (; pieces < 10_000; pieces++) yield Buffer.from('a,b\n'.repeat(1000))
      } finally {
        close()
      }
    }
    for await (const { line } of readCsv(file())) if (line === 5) break
    expect(pieces).toBeLessThan(50)
    await closed
  })

  it('passes on an error of the file', async () => {
    const file = async function*() {
      yield Buffer.from('a\n1\n')
      throw new Error('The disk is gone')
    }
    await expect(readAll(file())).rejects.toThrow('The disk is gone')
  })

  it('reads the output of toCsv', async () => {
    const rows = fc.array(
      fc.record({
        a: fc
          .string({ unit: character, minLength: 1 })
          .filter((text) => Buffer.from(text).toString() === text && !text.includes('\0') && toText(text) === text),
        b: fc.integer(),
      }),
    )
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom<',' | ';'>(',', ';'), fc.boolean(), async (written, delimiter, bom) => {
        const columns = ['a', 'b'].map((field) => ({ field, heading: field }))
        let text = ''
        for await (const piece of toCsv(written, { columns, delimiter, bom })) text += piece
        const [, ...records] = await read(text)
        expect(records.map(({ cells }) => cells)).toEqual(written.map(({ a, b }) => [a, String(b)]))
      }),
    )
  })
})

/** Escaped formulas are tested in another spec. */
function toText(text: string): string {
  return /^'*[=+\-@\t\r\n＋－＝＠]/.test(text) ? '' : text
}

function read(text: string): Promise<CsvRecord[]> {
  return readAll([Buffer.from(text)])
}

async function readAll(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<CsvRecord[]> {
  const file = async function*() {
    yield* pieces
  }
  const records: CsvRecord[] = []
  for await (const record of readCsv(file())) records.push(record)
  return records
}
