import { setTimeout as delay } from 'node:timers/promises'
import { close, countSessions, endSessions, isOpen, open } from './doors.ts'
import {
  bytesBehind,
  countErrors,
  endOfLog,
  follow,
  isMoved,
  isSubscribed,
  markMoved,
  publish,
  subscribe,
  unpublish,
  unsubscribe,
  type Progress,
} from './replication.ts'
import { ask, type Sides } from './sides.ts'
import {
  analyzeTables,
  compareTables,
  copyPartitions,
  copySequences,
  describeColumns,
  emptyTables,
  findRows,
} from './tables.ts'

const LOOK_MS = 1_000
/** A switch begins when the new server is at most so far behind: a moment of work. */
const NEAR_BYTES = 1024 * 1024
const CATCH_UP_LOOK_MS = 20
const ARRIVE_MS = 15_000

export type Say = (line: string) => void

/** Prepares the new server and begins to copy. Safe to repeat. */
export async function start(sides: Sides): Promise<void> {
  const { to, schemas } = sides
  if (await isMoved(sides)) throw new Error('the database has moved already: run --switch to finish')
  if (await isSubscribed(sides)) return
  await checkServers(sides)
  await checkEmpty(sides)
  await close(to, schemas)
  await endSessions(to, schemas)
  await emptyTables(to, schemas)
  await copyPartitions(sides)
  await publish(sides)
  await subscribe(sides)
}

/** How far the copy is, in words. */
export async function describe(sides: Sides): Promise<string> {
  if (await isMoved(sides)) return 'the database has moved; run --switch to finish'
  if (!(await isSubscribed(sides))) return 'no move has been started; run --start'
  return inWords(await follow(sides), await countErrors(sides))
}

const inWords = ({ copied, tables, behindBytes }: Progress, errors: number) =>
  `${copied} of ${tables} tables copied, ${(behindBytes / 1_000_000).toFixed(1)} MB behind` +
  (errors > 0 ? `; ${errors} errors so far, see the log of the new server` : '')

/** Says how far the copy is until it is complete. */
export async function wait(sides: Sides, say: Say): Promise<void> {
  let said = ''
  for (;;) {
    const progress = await follow(sides)
    const words = inWords(progress, await countErrors(sides))
    if (words !== said) say(words)
    said = words
    if (progress.copied >= progress.tables && progress.behindBytes < NEAR_BYTES) return
    await delay(LOOK_MS)
  }
}

type SwitchOptions = {
  say: Say
  /** Compare all rows of both servers while no service writes. Takes as long as reading them. */
  verify?: boolean
  /** Longest time that services may be kept out, without `verify`. */
  maxClosedMs?: number
  signal?: AbortSignal
}

/**
 * Lets services leave the old server, waits until the new one has everything, and lets them in there. Until that moment any failure
 * opens the old server again. Safe to repeat after a crash at any point. Resolves with the milliseconds without a server.
 */
export async function switchOver(sides: Sides, options: SwitchOptions): Promise<number> {
  const { from, to, schemas } = sides
  const { say, verify = false, maxClosedMs = 30_000, signal } = options
  let closedAt = Date.now()
  if (!(await isMoved(sides))) {
    if (!(await isSubscribed(sides))) throw new Error('no move has been started: run --start')
    await checkServers(sides)
    await wait(sides, say)
    say('reading statistics of the new server')
    await analyzeTables(to, schemas)
    await wait(sides, say)
    closedAt = Date.now()
    const sayWhen = (what: string) => say(`${((Date.now() - closedAt) / 1000).toFixed(1)} s: ${what}`)
    try {
      await close(from, schemas)
      sayWhen('the old server is closed')
      await endSessions(from, schemas)
      sayWhen('its sessions have ended')
      await catchUp(sides, closedAt + maxClosedMs, signal)
      sayWhen('the new server has everything')
      await copySequences(sides)
      if (verify) await checkSame(sides, say)
      signal?.throwIfAborted()
      await markMoved(sides)
    } catch (error) {
      // The answer to the last statement may have been lost. Then only a repeated switch may open a server.
      if (!(await isMoved(sides))) await open(from, schemas)
      throw error
    }
  }
  await close(from, schemas)
  await open(to, schemas)
  const closedMs = Date.now() - closedAt
  // It takes seconds, and from a closed server nothing comes any more.
  await unsubscribe(sides)
  await unpublish(sides)
  return closedMs
}

/** Gives up before the switch: services stay at the old server, or return to it. Safe to repeat. */
export async function undo(sides: Sides): Promise<void> {
  const { from, to, schemas } = sides
  if (await isMoved(sides))
    throw new Error('the new server has everything and may have more: run --switch to finish the move')
  await close(to, schemas)
  await unsubscribe(sides)
  await unpublish(sides)
  await open(from, schemas)
}

/** Which of the services have come to the new server, after some seconds. */
export async function arrivals({ to, schemas }: Sides): Promise<{ arrived: string[]; missing: string[] }> {
  const until = Date.now() + ARRIVE_MS
  for (;;) {
    const counts = await countSessions(to, schemas)
    const arrived = schemas.filter((schema) => counts[schema])
    const missing = schemas.filter((schema) => !counts[schema])
    if (missing.length === 0 || Date.now() > until) return { arrived, missing }
    await delay(LOOK_MS / 4)
  }
}

async function catchUp(sides: Sides, until: number, signal?: AbortSignal): Promise<void> {
  const end = await endOfLog(sides)
  while ((await bytesBehind(sides, end)) > 0) {
    signal?.throwIfAborted()
    if (Date.now() > until)
      throw new Error('the new server did not catch up in time; the old one is open again')
    await delay(CATCH_UP_LOOK_MS)
  }
}

async function checkSame(sides: Sides, say: Say): Promise<void> {
  say('comparing all rows')
  const differing = await compareTables(sides)
  if (differing.length > 0)
    throw new Error(`these tables differ: ${differing.join(', ')}; the old server is open again`)
}

async function checkServers({ from, to, schemas }: Sides): Promise<void> {
  const setting = async (name: string) =>
    (await ask<{ value: string }>(from, 'select current_setting($1) as value', [name]))[0]?.value
  if ((await setting('wal_level')) !== 'logical')
    throw new Error('set wal_level=logical at the old server and restart it')
  const versions = await Promise.all(
    [from, to].map((side) => numberOf(side, `current_setting('server_version_num')`)),
  )
  if ((versions[1] ?? 0) < (versions[0] ?? 0)) throw new Error('the new server runs an older PostgreSQL')
  for (const schema of schemas)
    if ((await describeColumns(from, schema)) !== (await describeColumns(to, schema)))
      throw new Error(
        `the tables of ${schema} differ: run deploy/migrate.ts of the same release for the new server first`,
      )
}

const numberOf = async (client: Sides['from'], expression: string) =>
  (await ask<{ value: number }>(client, `select ${expression}::int as value`))[0]?.value ?? 0

/** A closed server has at most half a copy, of a move that was given up, or what another move has left behind. */
async function checkEmpty({ from, to, schemas }: Sides): Promise<void> {
  if (!(await isOpen(from, schemas))) throw new Error('the old server is closed: services are not there')
  if (!(await isOpen(to, schemas))) return
  const table = await findRows(to, schemas)
  if (table !== undefined) throw new Error(`the new server is in use: ${table} has rows`)
}
