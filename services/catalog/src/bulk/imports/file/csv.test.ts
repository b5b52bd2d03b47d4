import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { readCsv } from './csv.ts'

/** The text in pieces of `size` bytes. */
async function* arriving(text: string | Buffer, size = 3): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readAll(text: string | Buffer, size?: number) {
  const { header, rows } = await readCsv(arriving(text, size))
  const found = []
  for await (const { line, cells } of rows) found.push([line, ...cells])
  return { header, rows: found }
}

const refusal = (text: string | Buffer, size?: number) =>
  readAll(text, size).then(
    (read) => `read ${JSON.stringify(read)}`,
    (error: unknown) => (error instanceof Error ? error.message : error),
  )

describe('a valid file', () => {
  test.for([
    { name: 'commas', text: 'a,b\n1,2\n', rows: [[2, '1', '2']] },
    { name: 'semicolons', text: 'a;b\n1;2,3\n', rows: [[2, '1', '2,3']] },
    { name: 'tabs', text: 'a\tb\n1\t2;3\n', rows: [[2, '1', '2;3']] },
    { name: 'a single column', text: 'a\n1\n2', rows: [[2, '1'], [3, '2']] },
    { name: 'CR LF, and none at the end', text: 'a,b\r\n1,2\r\n3,4', rows: [[2, '1', '2'], [3, '3', '4']] },
    { name: 'CR alone', text: 'a,b\r1,2\r', rows: [[2, '1', '2']] },
    { name: 'a byte order mark', text: '\ufeffa,b\n1,2\n', rows: [[2, '1', '2']] },
    { name: 'quotes', text: '"a","b"\n"x ""y"" ,z",2\n', rows: [[2, 'x "y" ,z', '2']] },
    { name: 'white space, which is kept', text: 'a,b\n 1 ,\t2\n', rows: [[2, ' 1 ', '\t2']] },
    { name: 'empty cells', text: 'a,b\n,2\n1,\n', rows: [[2, '', '2'], [3, '1', '']] },
    { name: 'a header alone', text: 'a,b', rows: [] },
  ])('$name', async ({ text, rows }) => {
    const header = text.startsWith('a\n') ? ['a'] : ['a', 'b']
    expect(await readAll(text)).toEqual({ header, rows })
    expect(await readAll(text, 1_000)).toEqual({ header, rows })
  }) // oxfmt-ignore

  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
  const windows = (text: string) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1')
  test.for([
    ['utf-8', Buffer.from('\uFEFFa,b\nKühl,\uFEFF€\n')],
    ['utf-8', Buffer.from('a,b\nKühl,\uFEFF€\n')],
    ['utf-16le', Buffer.from('\uFEFFa\tb\r\nKühl\t\uFEFF€\r\n', 'utf16le')],
    ['utf-16be', swapped('\uFEFFa\tb\r\nKühl\t\uFEFF€\r\n')],
    ['windows-1252', windows('a;b\r\nKühl;€\r\n')],
    ['windows-1252', windows('a;b\r\nKühl;€')],
  ] as const)('D19.5 in %s', async ([encoding, bytes]) => {
    for (const size of [1, 2, 3, 1_000]) {
      const file = await readCsv(arriving(bytes, size))
      const rows = []
      for await (const { cells } of file.rows) rows.push(cells.map((cell) => cell.replace('\uFEFF', '')))
      expect([file.encoding(), file.header, rows]).toEqual([encoding, ['a', 'b'], [['Kühl', '€']]])
    }
  })

  test('D19.5 the first character that is not ASCII decides, however late it comes', async () => {
    const file = await readCsv(arriving(windows(`a\n${'1\n'.repeat(20_000)}ü\n`), 65_536))
    let last = ''
    for await (const { cells } of file.rows) last = cells[0] ?? ''
    expect([file.encoding(), last]).toEqual(['windows-1252', 'ü'])
  })

  test.for([
    ['a sep= line', 'sep=;\na;b\n1;2\n', [3, '1', '2']],
    ['a sep= line of a delimiter that the header has less often', 'sep=,\r\na,"b"\r\n1,2\r\n', [3, '1', '2']],
    ['a quoted sep= line, filled up', '"sep=;";\na;b\n1;2\n', [3, '1', '2']],
    ['a sep= line with a tab', 'SEP=\t\na\tb\n1\t2\n', [3, '1', '2']],
    ['a sep= line with a bar', 'sep=|\na|b\n1|2\n', [3, '1', '2']],
    ['an empty last column', 'a,b,\n1,2,\n', [2, '1', '2']],
    ['empty last columns of the header alone', 'a,b,,\n1,2\n', [2, '1', '2']],
    ['an empty last cell of the rows alone', 'a,b\n1,2,\n', [2, '1', '2']],
  ] as const)('D19.5 with %s', async ([, text, row]) => {
    const read = { header: ['a', 'b'], rows: [row] }
    expect(await readAll(text)).toEqual(read)
    expect(await readAll(text, 1_000)).toEqual(read)
  })

  test('D19.5 with the separators of labels, about which the cells decide', async () => {
    const cell = '0109506000134352\u001D2112345\u001C\u001E\u001F\u0004'
    expect((await readAll(`a\n${cell}\n`)).rows).toEqual([[2, cell]])
  })

  test('line numbers are those of an editor, with quoted, empty and skipped lines', async () => {
    const text = '\n\na,b\r\n"x\r\ny\n",1\n\n,\n2,3\r\n\r\n"4","\n5"\n6,7'
    expect((await readAll(text)).rows).toEqual([
      [4, 'x\r\ny\n', '1'],
      [9, '2', '3'],
      [11, '4', '\n5'],
      [13, '6', '7'],
    ])
  })
})

describe('an invalid file is refused with the line', () => {
  test.for([
    ['', 'The file is empty; its first line must name the columns'],
    ['\n,,\n', 'The file is empty; its first line must name the columns'],
    ['a,b\n1,2\n3\n', 'Line 3: 1 cell where the header has 2 columns'],
    ['a,b\n"1\n1",2\n1,2,3\n', 'Line 4: 3 cells where the header has 2 columns'],
    ['a,b\n1,2\n\n3,"4\n5,6\n', 'Line 4: a quoted cell has no end'],
    ['a,b\n"1"x,2\n', /^Line 2: a quoted cell is followed by something else/],
    ['a,b\n1,2\nx"y",2\n', 'Line 3: there is a quote in a cell that does not begin with one'],
    ['a,b\n1,\0\n', 'Line 2: there is a NUL character'],
    [Buffer.from('a,b\n\xc3\xbc,2\n\xff\xfe,1\n', 'latin1'), 'The file is not UTF-8 (near line 3). Save it'],
    [Buffer.from('a,b\n\xc3\xbc,\xc3', 'latin1'), 'The file is not UTF-8 (near line 2). Save it'],
    [
      Buffer.from('\ufeffa,b\n1,2\n').subarray(0, -1).toString() + '\u0003',
      'Line 2: there is a control character (U+0003), so the file is not text',
    ],
    [
      Buffer.from('PK\u0003\u0004\u0014'),
      'Line 1: there is a control character (U+0003), so the file is not text. Save it in the spreadsheet as "CSV UTF-8"',
    ],
    [Buffer.from('a,b\n1,\x81\n', 'latin1'), 'Line 2: there is a control character (U+0081)'],
    [Buffer.from('a,b\n1,2\n', 'utf16le'), 'Line 1: there is a NUL character'],
    [
      Buffer.concat([Buffer.from('\ufeffa,b\n1,2', 'utf16le'), Buffer.from([0])]),
      'The file is not UTF-16LE (near line 2)',
    ],
  ] as const)('%j: %s', async ([text, message]) => {
    expect(await refusal(text, 1_000)).toMatch(message)
    expect(await refusal(text, 1)).toMatch(message)
  })

  test('a row that is too long', async () => {
    const text = `a,b\n1,2\n"${'x'.repeat(1024 * 1024 + 1)}",2\n`
    expect(await refusal(text, 65_536)).toBe('Line 3: the row is too long')
  })
})

test('leaving the iteration ends the source', async () => {
  let ended = false
  async function* endless() {
    try {
      yield Buffer.from('a,b\n')
      for (;;) yield Buffer.from('1,2\n'.repeat(1_000))
    } finally {
      ended = true
    }
  }
  const { rows } = await readCsv(endless())
  for await (const _ of rows) break
  await expect.poll(() => ended).toBe(true)
})

test('any bytes in pieces of any size give the same rows or the same error', async () => {
  const text = fc.array(fc.constantFrom('a', '"', ',', ';', '\n', '\r', '\r\n', '\\', 'é', '𝄞', "'", ' '))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (parts, size) => {
      const bytes = Buffer.from(`h,i\n${parts.join('')}`)
      expect(await refusal(bytes, size)).toEqual(await refusal(bytes, 10_000))
    }),
  )
})
