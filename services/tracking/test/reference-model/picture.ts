import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { sql } from 'kysely'
import type { Db } from '../../src/db.ts'
import { deliveryId } from '../../src/event-ids.ts'
import { waitingOf, type Evidence } from '../../src/positions/evidence.ts'
import { ASSETS } from './choices.ts'
import { positionOf, type World } from './reference.ts'

/** All stored rows as text, so that a difference is a line. */
export type Picture = { history: string[]; movements: string[]; positions: string[]; events: string[] }

type Named = { assets: readonly { id: number }[]; places: readonly { id: number }[]; zero: number }
type Facts = readonly (string | number | null | undefined)[]

const line = (facts: Facts) => facts.map((fact) => fact ?? '-').join(' ')
const lines = (all: readonly Facts[]) => all.map(line).toSorted()

/** The rows in the database. These tests do not relay the outbox, so that it has all events. */
export async function pictureOf(db: Db, orgId: number, named: Named): Promise<Picture> {
  const [scans, movements, positions, outbox] = await Promise.all([
    sql<{ asset_id: number; minute: string; observed_at: string; location_id: number; reader_key: string }>`
      select asset_id, minute, observed_at, location_id, reader_key from scan where org_id = ${orgId}`.execute(
      db,
    ),
    sql<{ asset_id: number; observed_at: string; from_location_id: number; to_location_id: number }>`
      select asset_id, observed_at, from_location_id, to_location_id from movement where org_id = ${orgId}`.execute(
      db,
    ),
    sql<{
      asset_id: number
      minute: string
      observed_at: string
      location_id: number
      dwell_started_at: string
      evidence: Evidence | null
    }>`
      select asset_id, minute, observed_at, location_id, dwell_started_at, evidence from position
      where org_id = ${orgId} and isfinite(minute)`.execute(db),
    sql<{ payload: AssetMoved }>`
      select payload from outbox where (payload->>'org_id')::bigint = ${orgId} and subject not like 'audit.%'`.execute(
      db,
    ),
  ])
  const at = (instant: string | null) => (instant === null ? null : Date.parse(instant) - named.zero)
  return {
    history: lines(scans.rows.map((row) => [row.asset_id, at(row.minute), at(row.observed_at), row.location_id, row.reader_key ? 'reader' : 'operator'])),
    movements: lines(movements.rows.map((row) => [row.asset_id, at(row.observed_at), row.from_location_id, row.to_location_id])),
    positions: lines(positions.rows.map((row) => [row.asset_id, at(row.observed_at), row.location_id, at(row.dwell_started_at), waitingIn(row, named.zero)])),
    events: lines(outbox.rows.map(({ payload: e }) => [e.delivery_id, e.kind, e.asset.id, at(e.occurred_at), e.from_location?.id, e.to_location.id])),
  } // oxfmt-ignore
}

function waitingIn(
  row: { minute: string; location_id: number | null; evidence: Evidence | null },
  zero: number,
): string | null {
  const minute = Date.parse(row.minute) / 60_000
  const waiting = waitingOf({ minute, locationId: row.location_id, evidence: row.evidence })
  return waiting && line([waiting.place, waiting.at - zero])
}

/** The rows that the reference expects. */
export function expectedPicture(world: World, orgId: number, { assets, places, zero }: Named): Picture {
  const assetId = (asset: number) => assets[asset]?.id ?? 0
  const placeId = (place: number | null) => (place === null ? null : (places[place]?.id ?? 0))
  const all = Array.from({ length: ASSETS }, (_, asset) => asset)
  return {
    history: lines(
      world.history.flatMap((rows, asset) =>
        [...rows].map(([minute, row]) => [
          assetId(asset),
          minute * 60_000,
          row.at,
          placeId(row.place),
          row.by,
        ]),
      ),
    ),
    movements: lines(
      world.history.flatMap((rows, asset) =>
        [...rows]
          .toSorted(([a], [b]) => a - b)
          .flatMap(([, { at, place }], i, sorted) => {
            const from = sorted[i - 1]?.[1].place ?? null
            return place === null || place === from
              ? []
              : [[assetId(asset), at, placeId(from), placeId(place)]]
          }),
      ),
    ),
    positions: lines(
      all.flatMap((asset) => {
        const position = positionOf(world, asset)
        const waiting = world.memories[asset]?.waits(world.history[asset] ?? new Map())
        const waits = waiting ? line([placeId(waiting.place), waiting.at]) : null
        return position ? [[assetId(asset), position.at, placeId(position.place), position.since, waits]] : []
      }),
    ),
    events: lines(
      world.events.map((e) => {
        const minute = zero / 60_000 + e.minute
        const move = { orgId, assetId: assetId(e.asset), from: placeId(e.from), to: placeId(e.to) ?? 0 }
        const id = deliveryId({ ...move, minute, kind: e.kind, observedAtMs: zero + e.at })
        return [id, e.kind, move.assetId, e.at, placeId(e.shownFrom), move.to]
      }),
    ),
  }
}
