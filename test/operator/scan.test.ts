import { ROOT } from '@whereabouts/deploy/local/services'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { historyRows, newAsset, newLocation, newOrganization, newReader } from '../system/organization.ts'
import { urls } from './support/system.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-scan-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('npm run scan --every publishes scans until it is interrupted', async () => {
  const org = await newOrganization({ urls }, 'Simulated')
  const locationId = await newLocation(org, 'Dock', 'DOCK')
  const asset = await newAsset(org, 'Pallet', [{ tag_type: 'rfid', value: 'E28011600001' }])
  await newReader(org, { key: 'gate', format: 'canonical', locationId, antennas: 1 })
  const { base, nats } = urls
  const { clientId: client_id, clientSecret: client_secret } = org.readerKey
  const demo = { base_url: base, nats_url: nats, org_id: org.id, reader_key: { client_id, client_secret } }
  const file = join(folder, 'organization.json')
  writeFileSync(file, JSON.stringify(demo))

  const args = ['--demo', file, '--reader', 'gate', '--tag', 'E28011600001', '--every', '1']
  const program = spawn(process.execPath, [join(ROOT, 'deploy/local/publish-scan.ts'), ...args])
  let output = ''
  program.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await expect.poll(() => output.match(/^Stored as SCANS \d+/gm)?.length, { timeout: 20_000 }).toBe(2)
  program.kill('SIGINT')
  expect(await once(program, 'exit')).toEqual([0, null])
  expect(output).toContain('See it: ')
  await expect
    .poll(async () => (await historyRows(org, asset.id)).map((row) => row.location_id), { timeout: 10_000 })
    .toContain(locationId)
})
