import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { delimiterOf, peekHeader } from './delimiter.ts'

test('the delimiter is the one of the header line, and nothing of the file is lost', async () => {
  for (const [file, delimiter] of [
    ['external_key,name\nA;B;C,x\n', ','],
    ['\ufeff\r\nexternal_key;name\r\nA;"1,5; 2"\r\n', ';'],
    ['external_key\tname\tdescription', '\t'],
    ['sep=;\nexternal_key,a;b\n', ';'],
    ['"sep=\t"\nexternal_key,a\n', '\t'],
    ['external_key\n', ','],
    ['', ','],
  ] as const) {
    const bytes = [...Buffer.from(file)].map((byte) => Buffer.from([byte]))
    const { header, whole } = await peekHeader(Readable.from(bytes))
    expect(delimiterOf(header)).toBe(delimiter)
    expect(await text(whole)).toBe(file.replace(/^\ufeff/, ''))
  }
})
