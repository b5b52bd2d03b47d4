import { execFileSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { tarGz } from './tar.ts'

const long = `package/${'folder/'.repeat(16)}file.js`
const archive = tarGz([
  ['package/main.js', Buffer.from('#!'), 0o755],
  [long, Buffer.alloc(600, 'x')],
])
const tar = (...args: string[]) => execFileSync('tar', args, { input: archive, encoding: 'utf8' })

test('tar reads names of any length, modes and contents', () => {
  expect(tar('-tzf', '-').trim().split('\n')).toEqual(['package/main.js', long])
  expect(tar('-tvzf', '-')).toMatch(/^-rwxr-xr-x .* 1970-01-01 .*main\.js\n-rw-r--r-- /)
  expect(tar('-xzOf', '-', long)).toBe('x'.repeat(600))
})

test('an archive is not compressed and names no system, so that every machine makes the same bytes', () => {
  expect(archive.length).toBeGreaterThan(gunzipSync(archive).length)
  expect(archive.subarray(4, 10)).toEqual(Buffer.from([0, 0, 0, 0, archive[8] ?? 0, 255]))
})

test('a path that no archive can hold is refused', () => {
  expect(() => tarGz([[`package/${'x'.repeat(101)}`, Buffer.alloc(0)]])).toThrow('too long')
})
