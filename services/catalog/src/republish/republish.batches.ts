import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely'
import { toAssetState } from '../assets/assets.views.ts'
import { assetColumns, locationColumns, type Tables, type Tx } from '../db.ts'
import { toLocationState } from '../locations/locations.views.ts'
import { tagColumns } from '../tags/tags.queries.ts'
import { toTagState } from '../tags/tags.views.ts'

/** The last row of a batch. The next batch begins after it. */
type Position = { org_id: number; id: number }
type Kind = 'location' | 'asset' | 'tag'

const START: Position = { org_id: Number.MIN_SAFE_INTEGER, id: 0 }

export type RepublishOptions = {
  /** Rows of a transaction. */
  batchSize: number
  /** Called before each batch, which waits for it. */
  room?: () => Promise<void>
  onBatch?: (kind: Kind, total: number) => void
}

/**
 * Queues the state of every location, asset and tag again, including deleted ones, with unchanged revisions.
 * Consumers ignore states that they have. Safe while the service runs, safe to repeat and to abort. Returns the
 * number of each kind.
 */
export async function republishAll(
  db: Kysely<Tables>,
  options: RepublishOptions,
): Promise<Record<Kind, number>> {
  const totals = { location: 0, asset: 0, tag: 0 }
  for (const kind of ['location', 'asset', 'tag'] as const) {
    let after: Position | undefined = START
    while (after) {
      const from: Position = after
      await options.room?.()
      const rows = await db.transaction().execute((tx) => republishBatch(tx, kind, from, options.batchSize))
      totals[kind] += rows.length
      options.onBatch?.(kind, totals[kind])
      after = rows.length < options.batchSize ? undefined : rows.at(-1)
    }
  }
  return totals
}

/** Locks the rows until their states are in the outbox, so that no newer state is queued before them. */
async function republishBatch(tx: Tx, kind: Kind, after: Position, size: number): Promise<Position[]> {
  if (kind === 'location') {
    const rows = await following(tx.selectFrom('location').select(locationColumns), after, size).execute()
    await enqueue(tx, locationState, rows.map(toLocationState))
    return rows
  }
  if (kind === 'asset') {
    const rows = await following(tx.selectFrom('asset').select(assetColumns), after, size).execute()
    await enqueue(tx, assetState, rows.map(toAssetState))
    return rows
  }
  const rows = await following(tx.selectFrom('tag').select(tagColumns), after, size).execute()
  await enqueue(tx, tagState, rows.map(toTagState))
  return rows
}

const following = <T extends Kind, O>(
  rows: SelectQueryBuilder<Tables, T, O>,
  { org_id, id }: Position,
  size: number,
): SelectQueryBuilder<Tables, T, O> =>
  rows
    .where(sql<boolean>`(org_id, id) > (${org_id}, ${id})`)
    .orderBy(sql`org_id`)
    .orderBy(sql`id`)
    .limit(size)
    .forShare()
