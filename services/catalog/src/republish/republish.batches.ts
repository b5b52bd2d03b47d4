import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { enqueue } from '@whereabouts/db/outbox'
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely'
import { toAssetState } from '../assets/assets.views.ts'
import { assetColumns, locationColumns, type Tables, type Tx } from '../db.ts'
import { toLocationState } from '../locations/locations.views.ts'
import { tagColumns } from '../tags/tags.queries.ts'
import { toTagState } from '../tags/tags.views.ts'

/** The last row of a batch; the next one begins after it. */
type Place = { org_id: number; id: number }
type Kind = 'location' | 'asset' | 'tag'

const START: Place = { org_id: Number.MIN_SAFE_INTEGER, id: 0 }

export type RepublishOptions = {
  /** Rows of a transaction. */
  batchSize: number
  /** Called before each batch; the next one is queued when it resolves. */
  room?: () => Promise<void>
  onBatch?: (kind: Kind, total: number) => void
}

/**
 * Puts the state of every location, asset and tag into the outbox once more, deleted ones and unchanged revisions
 * included: consumers that have it ignore it, a stream or a projection that was lost is whole again. Safe to run while
 * the service works, to repeat, and to break off. Returns how many of each.
 */
export async function republishAll(
  db: Kysely<Tables>,
  options: RepublishOptions,
): Promise<Record<Kind, number>> {
  const totals = { location: 0, asset: 0, tag: 0 }
  for (const kind of ['location', 'asset', 'tag'] as const) {
    let after: Place | undefined = START
    while (after) {
      const from: Place = after
      await options.room?.()
      const rows = await db.transaction().execute((tx) => republishBatch(tx, kind, from, options.batchSize))
      totals[kind] += rows.length
      options.onBatch?.(kind, totals[kind])
      after = rows.length < options.batchSize ? undefined : rows.at(-1)
    }
  }
  return totals
}

/** The rows are held until they are in the outbox, so that no newer state of theirs can be queued before this one. */
async function republishBatch(tx: Tx, kind: Kind, after: Place, size: number): Promise<Place[]> {
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
  { org_id, id }: Place,
  size: number,
): SelectQueryBuilder<Tables, T, O> =>
  rows
    .where(sql<boolean>`(org_id, id) > (${org_id}, ${id})`)
    .orderBy(sql`org_id`)
    .orderBy(sql`id`)
    .limit(size)
    .forShare()
