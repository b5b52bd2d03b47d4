import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

type FetchPackage = (folder: string, spec: string, integrity?: string) => Promise<void>
const { fetchPackage } = (await import(join(import.meta.dirname, 'fetch-package.mjs'))) as {
  fetchPackage: FetchPackage
}

const SPEC = '@scope/tool@1.2.3'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fetch-package-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  vi.stubEnv('npm_config_cache', join(folder, 'npm-cache'))
  onTestFinished(() => void vi.unstubAllEnvs())
})

/** An archive as npm publishes them: a program, and a script that would run at the installation. */
function archiveOf(text: string): Buffer {
  const source = join(folder, `source-${text}/package`)
  mkdirSync(source, { recursive: true })
  const scripts = { install: `touch ${join(folder, 'script-ran')}` }
  writeFileSync(
    join(source, 'package.json'),
    JSON.stringify({ name: '@scope/tool', version: '1.2.3', scripts }),
  )
  writeFileSync(join(source, 'tool'), text)
  chmodSync(join(source, 'tool'), 0o755)
  return execFileSync('tar', ['-czf', '-', '-C', join(source, '..'), 'package'])
}

const integrityOf = (archive: Buffer) => `sha512-${createHash('sha512').update(archive).digest('base64')}`

/** A registry with one package. The hash that it announces always matches, as on a compromised registry. */
async function startRegistry(archive: Buffer): Promise<void> {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    if (request.url?.endsWith('.tgz')) {
      response.end(archive)
      return
    }
    const dist = { tarball: `http://127.0.0.1:${port}/tool.tgz`, integrity: integrityOf(archive) }
    const versions = { '1.2.3': { name: '@scope/tool', version: '1.2.3', dist } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name: '@scope/tool', versions, 'dist-tags': { latest: '1.2.3' } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

test('a package with its pinned hash is unpacked, and none of its scripts runs', async () => {
  const archive = archiveOf('right')
  await startRegistry(archive)
  await fetchPackage(folder, SPEC, integrityOf(archive))
  const tool = join(folder, 'node_modules/@scope/tool/tool')
  expect(readFileSync(tool, 'utf8')).toBe('right')
  expect(statSync(tool).mode & 0o111).toBe(0o111)
  expect(existsSync(join(folder, 'script-ran'))).toBe(false)
})

test('a changed package under the same name and version is refused, and the old one stays', async () => {
  const right = archiveOf('right')
  await startRegistry(right)
  await fetchPackage(folder, SPEC, integrityOf(right))
  vi.stubEnv('npm_config_cache', join(folder, 'another-npm-cache'))
  await startRegistry(archiveOf('wrong'))
  await expect(fetchPackage(folder, SPEC, integrityOf(right))).rejects.toThrow(
    `${SPEC} from the registry differs from the pinned package`,
  )
  expect(readFileSync(join(folder, 'node_modules/@scope/tool/tool'), 'utf8')).toBe('right')
})

test('a package without a hash in tools-lock.json is not requested', async () => {
  await expect(fetchPackage(folder, SPEC)).rejects.toThrow(`tools-lock.json has no hash of ${SPEC}`)
})
