import { expect, test } from 'vitest'
import { utf8Of } from './file-text.ts'

async function* arriving(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test.for([
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFFname\nKühl,€\uFEFF')],
  ['UTF-8', Buffer.from('name\nKühl,€\uFEFF')],
  ['UTF-16LE', Buffer.from('\uFEFFname\nKühl,€\uFEFF', 'utf16le')],
  ['UTF-16BE', Buffer.from('\uFEFFname\nKühl,€\uFEFF', 'utf16le').swap16()],
] as const)('D19.5 %s', async ([, bytes]) => {
  for (const size of [1, 2, 3, 100]) {
    const pieces = await Array.fromAsync(utf8Of(arriving(bytes, size)))
    expect(Buffer.concat(pieces).toString()).toBe('name\nKühl,€\uFEFF')
  }
})

test('D19.5 Windows-1252, also if the file ends there', async () => {
  for (const text of ['name\nKühl;\x80\n', 'ü', 'name\nü']) {
    const pieces = await Array.fromAsync(utf8Of(arriving(Buffer.from(text, 'latin1'), 2)))
    expect(Buffer.concat(pieces).toString()).toBe(text.replace('\x80', '€'))
  }
})

test('D19.5 a file that begins as UTF-8 and goes on otherwise', async () => {
  const bytes = Buffer.concat([Buffer.from('ü and more'), Buffer.from([0xfc, 0x0a, 0x0a])])
  await expect(Array.fromAsync(utf8Of(arriving(bytes, 3)))).rejects.toThrow(TypeError)
})
