import { ROOT } from '@whereabouts/deploy/installation/services'
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

test('npm run scan --every publishes scans and ends with the first Ctrl-C', async () => {
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
  // Ctrl-C in a terminal reaches every process of the group: npm, the wrapper and the program.
  const program = spawn(process.execPath, [join(ROOT, 'deploy/workshop/launch/run.mjs'), 'scan', ...args], {
    detached: true,
  })
  let [output, said] = ['', '']
  program.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  program.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => output.match(/^Stored as SCANS \d+/gm)?.length, { timeout: 20_000 }).toBe(2)
  const { pid } = program
  if (pid === undefined) throw new Error('the command did not start')
  const ended = once(program, 'exit', { signal: AbortSignal.timeout(5_000) })
  process.kill(-pid, 'SIGINT')
  try {
    expect(await ended, said).toEqual([0, null])
  } catch (error) {
    if (program.exitCode === null && program.signalCode === null) process.kill(-pid, 'SIGKILL')
    throw error
  }
  expect(output).toContain('See it: ')
  await expect
    .poll(async () => (await historyRows(org, asset.id)).map((row) => row.location_id), { timeout: 10_000 })
    .toContain(locationId)
})
