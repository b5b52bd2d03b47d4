import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { withoutClient } from '@whereabouts/service-kit/observe/trace'
import { sql, type RawBuilder } from 'kysely'
import type { AssetWithHome, Tables, Tx } from '../../db.ts'
import type { Tagged } from '../../tags/live-tags.ts'
import { assetColumnsWithTags, eachAsset, homeKey } from '../assets.queries.ts'
import { toAssetView } from '../assets.views.ts'

/**
 * Of the texts that this release makes and reads. Raise it with every change of what the API says about an asset: a text of
 * another version counts as missing, so releases that differ can run side by side.
 */
export const TEXT_VERSION = 2

/** The text of an asset in lists. */
export const textOf = (row: Tagged<AssetWithHome>): string => JSON.stringify(toAssetView(row, row.tags))

/**
 * The stored text of the asset whose id is `id`, as `text`. No row if it is missing, or shows another key than the live home has
 * now: nobody deletes the texts of all assets when a location is renamed or deleted.
 */
export const storedText = (orgId: number, id: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select text from asset_text as asset
  where asset.org_id = ${orgId} and asset.id = ${id} and version = ${TEXT_VERSION}::smallint
    and (asset.home_location_id is null or asset.home_key is not distinct from ${homeKey})`

/** Making takes at most a tenth of the time, so a list of assets that change all the time costs little more than without. */
const REST = 9

/**
 * Returns a function that has missing texts made, and does not wait for it. While those of an organization are made, and a
 * rest afterwards, it ignores further ones: the next list asks again.
 */
export function textMaker(db: TenantDatabase<Tables>, log: Pick<Logger, 'warn'>) {
  const resting = new Set<number>()
  return (orgId: number, ids: readonly number[]): void => {
    if (resting.has(orgId)) return
    resting.add(orgId)
    const began = performance.now()
    withoutClient(() => db.transaction(orgId, (tx) => makeTexts(tx, orgId, ids)))
      .catch((err: unknown) => log.warn({ err, org_id: orgId }, 'texts of assets were not stored'))
      .finally(() => setTimeout(() => resting.delete(orgId), REST * (performance.now() - began)).unref())
  }
}

/**
 * Reads after it has locked, so that each text has all tags: changes of the asset and of its tags wait. Leaves out assets that
 * are being changed.
 */
export async function makeTexts(tx: Tx, orgId: number, ids: readonly number[]): Promise<void> {
  const wanted = sql`unnest(${[...ids]}::bigint[]) as wanted (id)`
  const { rows: locked } = await sql<{ id: number }>`${fixedPlan}
    select asset.id from ${wanted} cross join lateral (
      select asset.id from asset where asset.org_id = ${orgId} and asset.id = wanted.id
      for no key update skip locked) as asset`.execute(tx)
  const { rows } = await sql<Tagged<AssetWithHome>>`${fixedPlan}
    select ${assetColumnsWithTags} from unnest(${locked.map(({ id }) => id)}::bigint[]) as wanted (id)
    ${eachAsset(sql`asset.org_id = ${orgId} and asset.id = wanted.id`)}`.execute(tx)
  const texts = await mapInSlices(rows, textOf)
  await sql`
    insert into asset_text (org_id, id, version, text, home_location_id, home_key)
    select ${orgId}, made.id, ${TEXT_VERSION}, made.text, made.home_location_id, made.home_key
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${texts}::text[],
      ${rows.map(({ home_location_id: home }) => home)}::bigint[],
      ${rows.map(({ home_location_external_key: key }) => key)}::text[])
      as made (id, text, home_location_id, home_key)
    on conflict (org_id, id) do update set version = excluded.version, text = excluded.text,
      home_location_id = excluded.home_location_id, home_key = excluded.home_key`.execute(tx)
}
