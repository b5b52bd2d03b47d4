import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  newAsset,
  newLocation,
  newOrganization,
  historyRows,
  type Organization,
} from '../../system/organization.ts'
import { startSystem, type System } from '../../system/system.ts'
import {
  goReader,
  mqttJs,
  natsJs,
  pythonReaders,
  type DefaultReader,
  type Library,
} from './default-readers.ts'

/** How long keys does nothing. A stop is what a test cannot wait out by a condition: readers must meet it. */
const STOPPED_MS = 15_000
const ROUNDS = 3
const LIBRARIES = ['npm nats', 'npm mqtt', 'nats-py', 'paho-mqtt', 'nats.go']

let system: System
let folder: string
let org: Organization
const libraries = new Map<string, Library>([
  ['npm nats', natsJs],
  ['npm mqtt', mqttJs],
])
const readers = new Map<string, DefaultReader>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-readers-'))
  system = await startSystem()
  const [python, go] = await Promise.all([pythonReaders(folder), goReader(folder)])
  if (python) libraries.set('nats-py', python.natsPy).set('paho-mqtt', python.paho)
  if (go) libraries.set('nats.go', go)
  org = await newOrganization(system.stack, 'slow keys')
  await newLocation(org, 'Dock', 'DOCK')
}, 300_000)
afterAll(async () => {
  await Promise.all([...readers.values()].map((reader) => reader.close()))
  await system.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Stores one read of a new asset over the reader, and waits until it is in the history of the asset. */
async function readOver(name: string, reader: DefaultReader, round: number): Promise<void> {
  const tag = `${name.replace(/\W/g, '-').toUpperCase()}-${round}`
  const { id } = await newAsset(org, tag, [{ tag_type: 'barcode', value: tag }])
  const reads = [{ tag: { type: 'barcode', value: tag }, location: 'DOCK' }]
  await reader.store(`scans.${org.id}.dock-1.canonical`, JSON.stringify({ reads }))
  await expect.poll(async () => (await historyRows(org, id)).length, { timeout: 20_000 }).toBe(1)
}

test(
  'readers with the defaults of their library come back after the broker restarts while keys is stopped',
  { timeout: 400_000 },
  async () => {
    for (const [name, start] of libraries) readers.set(name, await start(system.stack.urls, org.readerKey))
    await Promise.all([...readers].map(([name, reader]) => readOver(name, reader, 0)))
    expect(readers.size).toBe(libraries.size)
    const pid = system.stack.services.keys?.pid ?? 0
    for (let round = 1; round <= ROUNDS; round += 1) {
      process.kill(pid, 'SIGSTOP')
      try {
        await system.stack.broker.restart('SIGKILL')
        await delay(STOPPED_MS)
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      const goesOnAt = performance.now()
      await Promise.all(
        [...readers].map(async ([name, reader]) => {
          await readOver(name, reader, round)
          console.log(
            `round ${round}: ${name} stored a read ${Math.round(performance.now() - goesOnAt)} ms after`,
          )
        }),
      )
    }
  },
)

test.for(LIBRARIES)('%s was tested', (name, { skip }) => {
  skip(!libraries.has(name), 'its language or package is not on this machine')
  expect(readers.has(name)).toBe(true)
})
