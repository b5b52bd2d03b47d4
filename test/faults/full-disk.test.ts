import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { watchBrokerStorage } from '@whereabouts/deploy/workshop/stack/broker-health'
import { natsDir, postgresDir } from '@whereabouts/deploy/workshop/stack/stack-servers'
import { startStack, type Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { stackParts } from '@whereabouts/deploy/workshop/stack/stack-parts'
import { supervise } from '@whereabouts/deploy/workshop/stack/supervisor'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { mountDisk, type Disk } from '../campaign/system/disk.ts'
import { query } from '../system/backup.ts'
import {
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  type Organization,
} from '../system/organization.ts'
import { connectReader, type ReaderLink } from '../system/readers.ts'
import { scrape } from '../system/scrape.ts'

// Nobody restarts anything here: launcher and servers recover by themselves.

const FULL_MS = 75_000
/** The launcher needs a minute to be sure and a restart. More, because the machine may be busy. */
const RECOVERY = { timeout: 240_000, interval: 500 }

const folder = mkdtempSync(join(tmpdir(), 'whereabouts-full-disk-'))
chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
const dataDir = join(folder, 'data')
const places = { broker: natsDir(dataDir), tables: postgresDir(dataDir), log: join(folder, 'pg_wal') }
const disks: Partial<Record<keyof typeof places, Disk>> = {}
for (const name of ['broker', 'tables', 'log'] as const) {
  const disk = mountDisk(places[name])
  if (disk) disks[name] = disk
}
const canMount = Object.keys(disks).length === 3
if (!canMount) process.stderr.write('SKIPPED: full disks, because mounting a tmpfs takes root\n')

const lines: string[] = []
const say = (line: string) => {
  lines.push(line)
  process.stdout.write(`  ${line}\n`)
}

let stack: Stack
let org: Organization
let reader: ReaderLink
const stops: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  if (!canMount) return
  stack = await startStack({ dataDir })
  stops.push(() => stack.stop())
  await moveLog()
  const { broker } = stack
  const supervisor = supervise(stackParts(stack), { say })
  const watch = watchBrokerStorage({ broker, folder: places.broker, restart: () => broker.stop(), say })
  stops.unshift(() => supervisor.stop())
  stops.unshift(() => watch.stop())
  org = await newOrganization(stack, 'Full disk')
  const dock = await newLocation(org, 'Dock', 'DOCK')
  await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
  await newAsset(org, 'Pallet', [{ tag_type: 'barcode', value: 'PALLET' }])
  reader = await connectReader(stack, org.readerKey, 'nats')
  stops.unshift(() => reader.close())
}, 180_000)

afterAll(async () => {
  for (const stop of stops) await stop()
  for (const disk of Object.values(disks)) disk.unmount()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

/** Puts the write-ahead log of PostgreSQL on its own disk, as in production. */
async function moveLog(): Promise<void> {
  const inside = join(places.tables, 'cluster', 'pg_wal')
  await stack.postgres.stop()
  execFileSync('cp', ['-a', `${inside}/.`, places.log])
  rmSync(inside, { recursive: true })
  execFileSync('ln', ['-s', places.log, inside])
  await stack.postgres.startAgain()
}

/** Each read is of another minute of the past, so each is a row. */
let minute = Math.floor(Date.now() / 60_000) - 1_300
/** The minutes of the reads that were acknowledged to the reader. */
const acknowledged: number[] = []

/** Sends a read. True if it was acknowledged. */
async function send(): Promise<boolean> {
  minute += 1
  const sent = minute
  const reads = [
    { tag: { type: 'barcode', value: 'PALLET' }, read_at: new Date(sent * 60_000).toISOString() },
  ]
  const filler = 'x'.repeat(20_000) // fills what is left of the disk
  const bytes = Buffer.from(JSON.stringify({ reads, filler }))
  const isStored = await reader.publish(org.id, 'gate', 'canonical', bytes).then(
    () => true,
    () => false,
  )
  if (isStored) acknowledged.push(sent)
  return isStored
}

/** Sends a read a second while the disk is full. Returns how many were acknowledged, and how many were not. */
async function whileFull(disk: Disk | undefined, also: () => Promise<unknown>) {
  disk?.fill()
  const until = Date.now() + FULL_MS
  let [taken, refused] = [0, 0]
  while (Date.now() < until) {
    if (await send()) taken += 1
    else refused += 1
    await also()
    await wait(1_000)
  }
  disk?.free()
  return { taken, refused, freedAt: Date.now() }
}

/** Seconds until `isSo`. */
async function secondsUntil(isSo: () => Promise<boolean>): Promise<number> {
  const from = performance.now()
  await vi.waitUntil(isSo, RECOVERY)
  return (performance.now() - from) / 1_000
}

async function areAllRows(): Promise<boolean> {
  const found = await query<{ minute: string }>(
    stack,
    'select (extract(epoch from minute) / 60)::bigint as minute from tracking.scan',
  ).catch(() => [])
  const rows = new Set(found.map((row) => Number(row.minute)))
  return acknowledged.every((each) => rows.has(each))
}

/** Whether a canary was stored that the broker received after this instant. */
const hasCanarySince = (instant: number) => async () =>
  (await scrape(stack.urls.ops.tracking)).sum('canary_age_seconds') * 1_000 < Date.now() - instant

/** Ten reads that must be acknowledged. */
async function sendTen(): Promise<void> {
  for (let n = 0; n < 10; n += 1) expect(await send()).toBe(true)
}

const figures = (what: string, facts: object) => process.stdout.write(`${what}: ${JSON.stringify(facts)}\n`)

describe.skipIf(!canMount)('after 75 s of a full disk, without help,', () => {
  test(
    'of the only broker: reads are taken again, and each acknowledged read is a row',
    { timeout: 600_000 },
    async () => {
      await sendTen()
      const { freedAt, ...full } = await whileFull(disks.broker, async () => undefined)
      expect(full.refused).toBeGreaterThan(0)
      const takenAfter = await secondsUntil(send)
      const canaryAfter = await secondsUntil(hasCanarySince(freedAt))
      await sendTen()
      await secondsUntil(areAllRows)
      expect(lines.filter((line) => line.startsWith('The disk of the broker is full: '))).toHaveLength(1)
      expect(lines.filter((line) => line.startsWith('nats stores nothing: '))).toHaveLength(1)
      figures('full disk of the broker', { ...full, takenAfter, canaryAfter })
    },
  )

  test(
    'and after a crash of the broker on the full disk, reads are taken again',
    { timeout: 600_000 },
    async () => {
      disks.broker?.fill()
      const { pid } = stack.broker
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      const isSaid = () =>
        lines.some((line) => /^nats ended \(start failed: the disk of .* is full/.test(line))
      await vi.waitUntil(isSaid, RECOVERY)
      disks.broker?.free()
      const takenAfter = await secondsUntil(send)
      await sendTen()
      await secondsUntil(areAllRows)
      expect(stack.broker.pid).not.toBe(pid)
      figures('broker started on a full disk', { takenAfter })
    },
  )

  test('of the tables of PostgreSQL: each acknowledged read is a row', { timeout: 600_000 }, async () => {
    await sendTen()
    // A table that grows: the reads alone fit into pages that exist.
    await query(stack, 'create table filler (text text)')
    const grow = () =>
      query(stack, "insert into filler select repeat('x', 1000) from generate_series(1, 500)")
    const failures: string[] = []
    const { freedAt, ...full } = await whileFull(disks.tables, () =>
      grow().catch((error: unknown) => failures.push(String(error))),
    )
    expect(failures.length).toBeGreaterThan(0)
    await sendTen()
    const rowsAfter = await secondsUntil(areAllRows)
    const canaryAfter = await secondsUntil(hasCanarySince(freedAt))
    figures('full disk of the tables', {
      ...full,
      failures: failures.length,
      first: failures[0],
      rowsAfter,
      canaryAfter,
    })
  })

  test('of the log of PostgreSQL: each acknowledged read is a row', { timeout: 600_000 }, async () => {
    await sendTen()
    const failures: string[] = []
    const { freedAt, ...full } = await whileFull(disks.log, () =>
      query(stack, 'select pg_switch_wal()').catch((error: unknown) => failures.push(String(error))),
    )
    expect(failures.length).toBeGreaterThan(0)
    await sendTen()
    const rowsAfter = await secondsUntil(areAllRows)
    const canaryAfter = await secondsUntil(hasCanarySince(freedAt))
    figures('full disk of the log', {
      ...full,
      failures: failures.length,
      first: failures[0],
      rowsAfter,
      canaryAfter,
    })
  })
})
