import type { AlertView } from '@whereabouts/contracts/resources/rules/alerts'
import type { RuleView } from '@whereabouts/contracts/resources/rules/rules'
import { expect } from 'vitest'
import { storeSaves } from '../../src/ingest/rows/store.ts'
import { NOT_READ } from '../../src/positions/cause.ts'
import { lockPositions } from '../../src/positions/lock-positions.queries.ts'
import { minuteOf } from '../../src/positions/observation.ts'
import { withDays } from '../../src/positions/partitions/missing-days.ts'
import { DEFAULT_RULES } from '../../src/positions/rules.ts'
import { RuleClock } from '../../src/rules/live/clock.loop.ts'
import type { RuleBook } from '../../src/rules/settings/rule-book.ts'
import { log, type Tracking } from '../tracking.fixture.ts'

export type Asset = ReturnType<Tracking['catalog']['asset']>
type Location = ReturnType<Tracking['catalog']['location']>
export const MINUTE = 60_000

export const clockOf = (tracking: Tracking, book: RuleBook = tracking.book, nowMs = () => Date.now()) =>
  new RuleClock({
    db: tracking.worker.db,
    view: tracking.view,
    book,
    storedUntil: async () => nowMs(),
    probe: async () => undefined,
    wakeOutbox: () => undefined,
    retentionMs: 1e12,
    log,
    now: nowMs,
  })

/** Saves assets at a location, as another replica with rules of its own. */
export async function put(
  { worker, view }: Tracking,
  book: RuleBook,
  assets: readonly Asset[],
  location: Location,
  at = Date.now(),
): Promise<void> {
  const rows = assets.map((asset) => ({
    orgId: asset.org_id,
    assetId: asset.id,
    minute: minuteOf(at),
    observedAtMs: at,
    locationId: location.id,
    ...NOT_READ,
    rssi: null,
    isJudged: false,
  }))
  const deps = { view, rulesOf: () => DEFAULT_RULES, book, now: () => at }
  await withDays(worker.db, [at], () =>
    worker.db.transaction().execute(async (tx) => storeSaves(tx, deps, await lockPositions(tx, rows), rows)),
  )
}

export async function scene(tracking: Tracking, orgId = 1, count = 3) {
  const { catalog } = tracking
  const [hall, yard] = [catalog.location(orgId, 'Hall'), catalog.location(orgId, 'Yard')]
  const assets = Array.from({ length: count }, (_, i) => catalog.asset(orgId, `Crate ${i}`))
  await tracking.project()
  return { hall, yard, assets }
}

export async function makeRule(
  tracking: Tracking,
  body: object,
  { orgId = 1, query = '' } = {},
): Promise<RuleView> {
  const reply = await tracking.call('POST', `/rules${query}`, { orgId, body: { name: 'Rule', ...body } })
  expect([reply.statusCode, reply.statusCode === 201 ? '' : reply.body]).toEqual([201, ''])
  return reply.json().data
}

export const alerts = async (tracking: Tracking, orgId = 1, query = ''): Promise<AlertView[]> =>
  (await tracking.call('GET', `/alerts?limit=200${query}`, { orgId })).json().data
