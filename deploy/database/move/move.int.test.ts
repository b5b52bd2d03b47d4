import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@whereabouts/db/connect/database'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { generateSecrets } from '../../installation/secrets.ts'
import { type PostgresServer, startPostgres } from '../../workshop/servers/postgres.ts'
import { migrateAll } from '../migrations.ts'
import { createRoles, DATABASE, databaseUrl } from '../roles.ts'
import { wallProblems } from '../walls.fixture.ts'
import { schemasOf, withSides, type Sides } from './sides.ts'
import { arrivals, describe as describeMove, start, switchOver, undo, wait } from './steps.ts'
import { compareTables } from './tables.ts'

const passwords = generateSecrets().database_passwords
const SCHEMAS = schemasOf(undefined)
const ORG = 7

let home: string
let [from, to]: PostgresServer[] = []
let services: Database<unknown>
const servers: PostgresServer[] = []

async function startServer(name: string): Promise<PostgresServer> {
  const options = { dataDir: join(home, name), password: 'letter-0', durable: false }
  const server = await startPostgres({ ...options, settings: ['wal_level=logical'] })
  servers.push(server)
  await createRoles(server.url(), passwords)
  await migrateAll((role) => databaseUrl(server.url(), DATABASE, { name: role, password: passwords[role] }))
  return server
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'move-test-'))
  ;[from, to] = [await startServer('from'), await startServer('to')]
  const own = { name: 'tracking', password: passwords.tracking }
  const address = `${databaseUrl(from.url(), DATABASE, own)}?next_host=127.0.0.1:${to.port}`
  services = openDatabase(address, { max: 4 })
  await services.pool.query('select make_history_day(current_date)')
}, 120_000)
afterEach(async () => {
  await services.close()
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  rmSync(home, { recursive: true, force: true })
})

const admin = (server: PostgresServer | undefined) => server?.url(DATABASE) ?? ''
const move = <T>(work: (sides: Sides) => Promise<T>) =>
  withSides({ from: admin(from), to: admin(to) }, SCHEMAS, work)
const say = () => undefined

/** Writes as tracking does, until it is told to end. Resolves with what was confirmed, and how often something failed. */
function startWriter() {
  const state = { confirmed: 0, failures: [] as string[], isOver: false }
  const done = (async () => {
    while (!state.isOver) {
      const next = state.confirmed + 1
      try {
        await services.pool.query(`insert into scan (org_id, asset_id, minute, observed_at)
          values (${ORG}, ${next}, date_trunc('minute', now()), now()) on conflict do nothing`)
        state.confirmed = next
      } catch (error) {
        state.failures.push(String(error))
      }
    }
  })()
  const end = async () => {
    state.isOver = true
    await done
    return state
  }
  onTestFinished(async () => void (await end()))
  return { state, end }
}

async function rowsAt(server: PostgresServer | undefined): Promise<number> {
  return move(async ({ from: old, to: next }) => {
    const { rows } = await (server === from ? old : next).query<{ count: number }>(
      "select count(*)::int as count from tracking.scan where minute > '2025-01-01'",
    )
    return rows[0]?.count ?? 0
  })
}

/** The servers that let a service in. */
async function openServers(): Promise<string[]> {
  const login = async (server: PostgresServer | undefined) => {
    const role = { name: 'tracking_worker', password: passwords.tracking }
    const client = new Client(databaseUrl(admin(server), DATABASE, role))
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return [...((await login(from)) ? ['from'] : []), ...((await login(to)) ? ['to'] : [])]
}

test(
  'a database moves under writes: all that was confirmed is at the new server, which alone is open',
  { timeout: 120_000 },
  async () => {
    await services.pool.query(`select make_history_day('2024-02-29'::date)`)
    await services.pool.query(`insert into scan (org_id, asset_id, minute, observed_at)
    values (${ORG}, 1, '2024-02-29T12:00Z', '2024-02-29T12:00Z')`)
    const mint = () => services.pool.query<{ id: number }>('select mint_id() as id')
    const before = await mint()
    const writer = startWriter()
    await move(async (sides) => {
      await start(sides)
      expect(await openServers()).toEqual(['from'])
      await wait(sides, say)
      expect(await describeMove(sides)).toMatch(/^(\d+) of \1 tables copied, 0\.\d MB behind$/)
    })
    // A day that comes while the copy goes on.
    await services.pool.query(`select make_history_day('2024-03-01'::date)`)
    const closedMs = await move((sides) => switchOver(sides, { say, verify: true }))
    expect(closedMs).toBeGreaterThan(0)
    const atSwitch = writer.state.confirmed
    await expect.poll(() => writer.state.confirmed).toBeGreaterThan(atSwitch + 10)
    const { confirmed, failures } = await writer.end()
    expect(failures.length).toBeLessThan(3)
    expect(await openServers()).toEqual(['to'])
    expect(await rowsAt(to)).toBe(confirmed)
    expect(await rowsAt(from)).toBeLessThan(confirmed)
    const after = await mint()
    expect(after.rows[0]?.id).not.toBe(before.rows[0]?.id)
    const { rows: days } = await services.pool.query(`select from scan where minute < '2025-01-01'`)
    expect(days).toHaveLength(1)
    const problems = await move(async (sides) => {
      const found: string[] = []
      for (const schema of SCHEMAS) found.push(...(await wallProblems(sides.to, schema)))
      return found
    })
    expect(problems).toEqual([])
    const arrived = await move((sides) => arrivals({ ...sides, schemas: ['tracking'] }))
    expect(arrived).toEqual({ arrived: ['tracking'], missing: [] })
  },
)

/** Ends the connections at statement number `n` after the old server began to close. */
function crashingAt(sides: Sides, n: number): Sides {
  let [isClosing, left] = [false, n]
  const watch = (client: Client): Client =>
    new Proxy(client, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name) as unknown
        return async (text: string, values?: unknown[]) => {
          isClosing ||= client === sides.from && text.startsWith('alter role')
          if (isClosing && --left < 0) throw new Error('crashed')
          return target.query(text, values)
        }
      },
    })
  return { ...sides, from: watch(sides.from), to: watch(sides.to) }
}

test(
  'a crash at any statement of the switch leaves one server open at most, and the next run finishes',
  { timeout: 600_000 },
  async () => {
    const writer = startWriter()
    await move(async (sides) => {
      await start(sides)
      await wait(sides, say)
    })
    let crashes = 0
    for (let n = 0; ; n += 1) {
      const error = await move((sides) =>
        switchOver(crashingAt(sides, n), { say }).then(
          () => undefined,
          (reason: unknown) => reason,
        ),
      )
      if (error === undefined) break
      expect(error).toEqual(new Error('crashed'))
      crashes += 1
      expect((await openServers()).length).toBeLessThan(2)
    }
    expect(crashes).toBeGreaterThan(6)
    await expect.poll(openServers).toEqual(['to'])
    const atSwitch = writer.state.confirmed
    await expect.poll(() => writer.state.confirmed).toBeGreaterThan(atSwitch + 10)
    const { confirmed } = await writer.end()
    expect(await rowsAt(to)).toBe(confirmed)
  },
)

test(
  'a move that is given up leaves services where they are, and can begin again',
  { timeout: 120_000 },
  async () => {
    const writer = startWriter()
    for (const _ of [1, 2, 3]) {
      await move(async (sides) => {
        await start(sides)
        await start(sides)
        await wait(sides, say)
        await undo(sides)
        await undo(sides)
      })
      expect(await openServers()).toEqual(['from'])
    }
    const { failures, confirmed } = await writer.end()
    expect(failures).toEqual([])
    expect(await rowsAt(from)).toBe(confirmed)
  },
)

test('a copy that differs is not taken, and the old server opens again', { timeout: 120_000 }, async () => {
  await services.pool.query(
    "insert into reader (org_id, reader_key, name, format) values (1, 'a', 'x', 'canonical')",
  )
  await move(async (sides) => {
    await start(sides)
    await wait(sides, say)
    await sides.to.query(`set session_replication_role = replica; update tracking.reader set name = 'other'`)
    expect(await compareTables(sides)).toEqual(['"tracking"."reader"'])
    await expect(switchOver(sides, { say, verify: true })).rejects.toThrow(
      'these tables differ: "tracking"."reader"',
    )
  })
  expect(await openServers()).toEqual(['from'])
})

test('what cannot move is refused, with what to do', async () => {
  await move(async (sides) => {
    await expect(switchOver(sides, { say })).rejects.toThrow('no move has been started')
    await sides.to.query(`alter table keys.org add column later int`)
    await expect(start(sides)).rejects.toThrow('the tables of keys differ: run deploy/migrate.ts')
    await sides.to.query(`alter table keys.org drop column later`)
    await sides.to.query(
      `insert into tracking.reader (org_id, reader_key, name, format) values (1, 'a', 'x', 'canonical')`,
    )
    await expect(start(sides)).rejects.toThrow('the new server is in use: "tracking"."reader" has rows')
  })
  expect(await openServers()).toEqual(['from', 'to'])
  expect(() => schemasOf(['tracking', 'console'])).toThrow('no schema of a service "console"')
})
