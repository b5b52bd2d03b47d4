import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { AssetKey, Position } from '../../positions/position.ts'
import type { HeardElsewhere } from './recent-minutes.ts'

export const HEARD_ELSEWHERE_CHANNEL = 'heard_elsewhere'

/** PostgreSQL allows 8 000 bytes; four numbers have at most 62. */
const PER_NOTIFICATION = 120

/** Tells every replica, once the transaction commits, that these positions are more than the first read of their minutes. */
export async function tellHeardElsewhere(tx: Tx, positions: readonly Position[]): Promise<void> {
  if (positions.length === 0) return
  const told = positions.map(({ orgId, assetId, minute, evidence }) => [
    orgId,
    assetId,
    minute,
    evidence?.last?.at ?? null,
  ])
  const payloads: string[] = []
  for (let at = 0; at < told.length; at += PER_NOTIFICATION)
    payloads.push(JSON.stringify(told.slice(at, at + PER_NOTIFICATION)))
  await sql`
    select pg_notify(${HEARD_ELSEWHERE_CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(
    tx,
  )
}

/** Instead of a minute: history of the asset was erased, up to the instant if there is one. */
export const ERASED = -1

/** Tells every replica, once the transaction commits, so that none believes a row to be stored, or stores a read that it kept. */
export async function tellErased(tx: Tx, { orgId, assetId }: AssetKey, upToMs: number | null): Promise<void> {
  const payload = JSON.stringify([[orgId, assetId, ERASED, upToMs]])
  await sql`select pg_notify(${HEARD_ELSEWHERE_CHANNEL}, ${payload})`.execute(tx)
}

export const readHeardElsewhere = (payload: string): HeardElsewhere[] =>
  (JSON.parse(payload) as [number, number, number, number | null][]).map(([orgId, assetId, minute, at]) => ({
    orgId,
    assetId,
    minute,
    at,
  }))
