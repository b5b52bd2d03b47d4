import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { signSums } from './signature.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sums-'))
  writeFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  a.tgz\n`)
})
afterEach(() => rmSync(folder, { recursive: true }))

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../../docs/contributing/release.md'), 'utf8')

test('the command in the guide of a release verifies the signature, and refuses changed sums', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(folder, 'release.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  expect(await signSums(folder, join(folder, 'key.pem'))).toBe('SHA256SUMS.sig signs SHA256SUMS.')
  const command = /openssl pkeyutl -verify[^`]*/.exec(GUIDE)?.[0] ?? 'false'
  const verify = () => execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  expect(verify()).toContain('Signature Verified Successfully')
  writeFileSync(join(folder, 'SHA256SUMS'), `${'1'.repeat(64)}  a.tgz\n`)
  expect(verify).toThrow()
})

test('without a key it says that nothing is signed', async () => {
  expect(await signSums(folder, undefined)).toMatch(/^SHA256SUMS is not signed/)
  expect(existsSync(join(folder, 'SHA256SUMS.sig'))).toBe(false)
})

test('another kind of key is refused, and a missing file too', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await expect(signSums(folder, join(folder, 'key.pem'))).rejects.toThrow('is not an Ed25519 key')
  await expect(signSums(folder, join(folder, 'none.pem'))).rejects.toThrow('ENOENT')
})
