import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { assertPinned } from './checksum.ts'
import { assertOffered } from './debian-release.ts'

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

test('a file is accepted only with its pinned hash', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinned-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.tar.gz')
  writeFileSync(file, '')
  expect(() => assertPinned(file, { 'a.tar.gz': EMPTY })).not.toThrow()
  expect(() => assertPinned(file, { 'b.tar.gz': EMPTY })).toThrow('no hash is pinned for a.tar.gz')
  writeFileSync(file, 'x')
  expect(() => assertPinned(file, { 'a.tar.gz': EMPTY })).toThrow(`${EMPTY} is pinned`)
})

test('when Debian no longer offers a pinned package, the error names both versions', () => {
  const offered = (version: string) =>
    `'http://a.test/pool/t_${version}_amd64.deb' t_${version}_amd64.deb 42 SHA256:00\n`
  const pins = { 't_2.15.1-1_amd64.deb': EMPTY }
  expect(() => assertOffered(offered('2.15.1-1'), pins)).not.toThrow()
  expect(() => assertOffered(offered('2.16.0-1'), pins)).toThrow(
    'Debian now offers t_2.16.0-1_amd64.deb; pinned are t_2.15.1-1_amd64.deb',
  )
  expect(() => assertOffered('', pins)).toThrow('apt-get offers no package')
})
