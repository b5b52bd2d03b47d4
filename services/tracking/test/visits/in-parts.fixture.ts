import { VisitsQuery } from '@whereabouts/contracts/resources/tracking/visits'
import { expect } from 'vitest'
import { secondsBetween, type StayPage } from '../../src/where/visits/pages.ts'
import { pageOfSilentStays } from '../../src/where/visits/silence.ts'
import type { Stay } from '../../src/where/visits/stays.ts'
import { wantedOf } from '../../src/where/visits/visits.handlers.ts'
import type { Tracking } from '../tracking.fixture.ts'
import { iso, type Query } from './scene.fixture.ts'

/** All pages of visits with a silence, as if a page read only a few rows. */
export async function visitsInParts(
  tracking: Tracking,
  orgId: number,
  asked: Query,
  { now, mostRows }: { now: number; mostRows: number },
) {
  const texts = Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().map(String)]],
  )
  const query = VisitsQuery.parse(Object.fromEntries(texts))
  const { places, assetIds } = wantedOf(tracking.view, orgId, query)
  const source = { db: tracking.db, orgId, places }
  const filter = { ...query, assetIds, minSeconds: query.min_seconds, isOpen: query.open }
  const maxUs = (query.max_silence_seconds ?? 0) * 1_000_000
  const stays: Stay[] = []
  let pages = 0
  let after: StayPage['after']
  do {
    const options = { maxUs, nowUs: now * 1_000, limit: query.limit, mostRows }
    const page: StayPage = await pageOfSilentStays(source, { ...filter, after }, options)
    expect(page.stays.length).toBeLessThanOrEqual(query.limit)
    stays.push(...page.stays)
    after = page.after
    pages += 1
  } while (after)
  const visits = stays.map(({ assetId, place, at, end, lastSeen, isSilent }) => ({
    asset: assetId,
    location: place,
    started_at: iso(at / 1_000),
    ended_at: end === undefined ? null : iso(end / 1_000),
    seconds: secondsBetween(at, end ?? lastSeen),
    last_seen_at: iso(lastSeen / 1_000),
    ended_by: end === undefined ? null : isSilent ? 'silence' : 'moved',
  }))
  return { visits, pages }
}
