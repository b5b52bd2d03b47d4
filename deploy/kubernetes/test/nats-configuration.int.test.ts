import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '@whereabouts/testing/certificates'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { environments } from './environment.ts'
import { renderInstallation } from './installation.fixture.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nats-configuration-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function certificateFiles(): Promise<Record<string, string>> {
  const { key, cert } = await makeCertificate()
  const files = { NATS_CERT_FILE: cert, NATS_KEY_FILE: key, NATS_CA_FILE: cert }
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      writeFileSync(join(folder, name), text)
      return [name, join(folder, name)]
    }),
  )
}

/** Checks the overlay's configuration with `nats-server -t` and the pod's environment, but other file paths. */
async function checkConfiguration(overlay: 'production' | 'large', changed: Record<string, string> = {}) {
  const { objects, secrets } = await renderInstallation(overlay)
  const files = objects.find(({ metadata }) => metadata.name.startsWith('nats-configuration-'))!.data!
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const given = environments(objects, secrets).get('nats')!
  const env = { ...given, ...(await certificateFiles()), NATS_STORE_DIR: folder, ...changed }
  const args = ['-t', '--config', join(folder, 'cluster.conf')]
  const { status, stderr } = spawnSync(process.env['WB_TEST_NATS_BIN']!, args, { encoding: 'utf8', env })
  return { status, stderr }
}

test.for(['production', 'large'] as const)(
  'nats-server accepts the configuration of %s with the values of the StatefulSet',
  async (overlay) => {
    const stderr = expect.stringContaining('is valid')
    expect(await checkConfiguration(overlay)).toMatchObject({ status: 0, stderr })
  },
)

test('routes that are not a list are refused', async () => {
  const { status } = await checkConfiguration('production', { NATS_ROUTES: 'nats://nats-0:6222' })
  expect(status).not.toBe(0)
})
