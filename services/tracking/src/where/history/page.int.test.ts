import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { dateOf } from '../../positions/partitions/partitions.queries.ts'
import { createMonths, createPastDays } from '../../../test/partitions.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'

const MINUTE_US = 60_000_000
/** A minute of the past, near the end of a month, so that the rows are in several partitions. */
const START_US = (Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1) - 300 * 60_000) * 1_000

type Row = { at: number; locationId: number | null }

const instant = fc.record({
  minute: fc.integer({ min: 0, max: 40 }),
  /** Often at an end of the minute, so that durations are just below or above whole seconds. */
  micros: fc.oneof(fc.constantFrom(0, 1, 999, 1_000, 999_999, 1_000_000, 59_999_999), fc.nat(59_999_999)),
})
const toUs = ({ minute, micros }: { minute: number; micros: number }) =>
  START_US + minute * 15 * MINUTE_US + micros
const text = (us: number) =>
  new Date(Math.floor(us / 1_000)).toISOString().replace('Z', `${String(us % 1_000).padStart(3, '0')}Z`)
const millis = (us: number) => new Date(Math.floor(us / 1_000)).toISOString()

async function insert({ db }: Tracking, assetId: number, rows: readonly Row[]): Promise<void> {
  for (const { at, locationId } of rows)
    await sql`
      insert into scan (org_id, asset_id, minute, observed_at, location_id)
      values (1, ${assetId}, date_trunc('minute', ${text(at)}::timestamptz), ${text(at)}, ${locationId})`.execute(
      db,
    )
}

/** What the contract says (D8.1): rows in the range, each with the time since the row before it in the whole history. */
function expected(
  rows: readonly Row[],
  range: { from?: number | undefined; to?: number | undefined },
  keys: ReadonlyMap<number, string>,
) {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range
  return rows
    .map(({ at, locationId }, i) => ({
      at,
      row: {
        event_observed_at: millis(at),
        location_id: locationId,
        location_external_key: locationId === null ? null : (keys.get(locationId) ?? null),
        duration_seconds: i === 0 ? null : Number((BigInt(at) - BigInt(rows[i - 1]!.at)) / 1_000_000n),
      },
    }))
    .filter(({ at }) => at >= from && at <= to)
    .map(({ row }) => row)
}

test(
  'D8.1 every page of random rows has the rows, durations and total of the whole history',
  async ({ tracking }) => {
    const [known, deleted, unseen] = ['Known', 'Deleted', 'Unseen'].map((name) =>
      tracking.catalog.location(1, name),
    )
    tracking.catalog.change(deleted!, { deleted_at: '2026-11-21T00:00:00.000Z' })
    await createMonths(tracking.db, [dateOf(START_US / 1_000)])
    await createPastDays(tracking.db, 31)
    await tracking.project()
    tracking.view.clear() // so that this location is in the projection alone
    tracking.catalog.locations = [known!, deleted!]
    tracking.catalog.assets = []
    await tracking.project()
    const keys = new Map([
      [known!.id, known!.external_key],
      [unseen!.id, unseen!.external_key],
    ])
    const history = fc.record({
      rows: fc.uniqueArray(
        fc.record({
          instant,
          locationId: fc.constantFrom(null, known!.id, deleted!.id, unseen!.id, 999_999),
        }),
        { maxLength: 12, selector: (row) => row.instant.minute },
      ),
      from: fc.option(instant, { nil: undefined }),
      to: fc.option(instant, { nil: undefined }),
      limit: fc.integer({ min: 1, max: 13 }),
      descending: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(history, async (one) => {
        const asset = tracking.catalog.asset(1, 'Pallet')
        const rows = one.rows
          .map((row) => ({ at: toUs(row.instant), locationId: row.locationId }))
          .toSorted((a, b) => a.at - b.at)
        await insert(tracking, asset.id, rows)
        const [from, to] = [one.from && toUs(one.from), one.to && toUs(one.to)]
        const all = expected(rows, { from, to }, keys)
        if (one.descending) all.reverse()
        const range = `${from === undefined ? '' : `&from=${text(from)}`}${to === undefined ? '' : `&to=${text(to)}`}`
        for (let offset = 0; offset <= all.length + 1; offset += 1) {
          const sort = `${one.descending ? '-' : ''}event_observed_at`
          const page = await tracking.call(
            'GET',
            `/assets/${asset.id}/history?limit=${one.limit}&offset=${offset}&sort=${sort}${range}`,
          )
          expect(page.json()).toEqual({
            data: all.slice(offset, offset + one.limit),
            limit: one.limit,
            offset,
            total_count: all.length,
          })
        }
      }),
      limits(30),
    )
  },
  timeLimit(60_000),
)
