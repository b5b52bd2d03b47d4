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
    [Buffer.from('a,b\n1,2\n\xff\xfe,1\n', 'latin1'), 'The file is not UTF-8 (near line 3)'],
    [Buffer.from('a,b\n1,\xc3', 'latin1'), 'The file is not UTF-8 (near line 2)'],
    [Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'The file is not UTF-8 (near line 1)'],
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
