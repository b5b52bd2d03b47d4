import type { AssetState, TagState } from '@whereabouts/contracts/messages/catalog-state'
import { decodeReaderMessage } from '../../src/ingest/reads/reader-message.ts'
import { findReads } from '../../src/ingest/places/resolve.ts'
import { CatalogResolver } from '../../src/catalog/catalog-resolver.ts'
import { CatalogView } from '../../src/catalog/catalog-view.ts'
import { ReaderDirectory } from '../../src/readers/reader-directory.ts'
import { log, type Tracking } from '../tracking.fixture.ts'
import { ingest, message, NOW } from './warehouse.fixture.ts'

export const MINUTE = 60_000
/** Minutes before the messages came. */
export const ago = (minutes: number): number => NOW - minutes * MINUTE
export const iso = (ms: number): string => new Date(ms).toISOString()

export type Asked = { value?: string; antenna?: number; reader?: string; ago: number }

const messageOf = ({ value = 'E280', antenna = 1, reader, ago: minutes }: Asked) =>
  message(1, [{ value, antenna, at: ago(minutes) }], reader)

/** Ends the tag, as when it is detached or its asset is deleted. */
export function detach(tracking: Tracking, tag: TagState, minutesAgo: number): void {
  tracking.catalog.tags = tracking.catalog.tags.map((other) =>
    other.id === tag.id
      ? { ...other, revision: other.revision + 1_000, deleted_at: iso(ago(minutesAgo)) }
      : other,
  )
}

export const attach = (
  tracking: Tracking,
  asset: AssetState,
  minutesAgo: number,
  { value = 'E280', ...changes }: Partial<TagState> = {},
): TagState => tracking.catalog.tag(asset, value, { created_at: iso(ago(minutesAgo)), ...changes })

/** The tag of the warehouse. */
export function firstTag({ catalog }: Tracking): TagState {
  const [tag] = catalog.tags
  if (!tag) throw new Error('the warehouse has no tag')
  return tag
}

/**
 * What becomes of reads, "asset at place": in the running process, and in two that start now and get the states of
 * catalog in either order.
 */
export async function answers(tracking: Tracking, reads: readonly Asked[]): Promise<string[][]> {
  const running = await answer(tracking, tracking.ingest, reads)
  const restarted: string[][] = []
  for (const inOrder of [<T>(list: T[]) => list, <T>(list: T[]) => list.toReversed()]) {
    const view = new CatalogView()
    const resolver = new CatalogResolver(view, tracking.catalog.ask)
    const { assets, locations, tags } = tracking.catalog
    resolver.apply({ assets: inOrder(assets), locations: inOrder(locations), tags: inOrder(tags) })
    const directory = new ReaderDirectory(tracking.worker.db, tracking.worker.pool, log)
    await directory.start()
    restarted.push(await answer(tracking, { view, directory, resolver }, reads))
    await directory.stop()
  }
  return [running, ...restarted]
}

async function answer(
  tracking: Tracking,
  deps: Parameters<typeof findReads>[1],
  reads: readonly Asked[],
): Promise<string[]> {
  const found: string[] = []
  for (const read of reads) {
    const decoded = decodeReaderMessage(messageOf(read), { ...tracking.ingest, directory: deps.directory })
    for (const { asset, place } of await findReads(decoded, deps)) {
      const who = asset === undefined ? 'unknown' : (asset?.name ?? 'nobody')
      const where = place.location?.name ?? (place.scanPointId === null ? 'unassigned' : 'nowhere')
      found.push(`${who} at ${where}`)
    }
  }
  return found
}

/** What is stored of these reads, each in a message and batch of its own, and what the reader shows. */
export async function stored(tracking: Tracking, reads: readonly Asked[]) {
  for (const read of reads) await ingest(tracking, [messageOf(read)])
  await tracking.health.flush()
  await tracking.unknownTags.flush()
  const rows = await tracking.db
    .selectFrom('scan')
    .innerJoin('asset', 'asset.id', 'scan.asset_id')
    .leftJoin('location', 'location.id', 'scan.location_id')
    .select(['asset.name as asset', 'location.name as place', 'observed_at'])
    .orderBy('observed_at')
    .execute()
  const readers = (await tracking.call('GET', '/readers')).json().data
  return {
    rows: rows.map(({ asset, place, observed_at }) => [
      asset,
      place,
      (NOW - Date.parse(observed_at)) / MINUTE,
    ]),
    health: readers[0].health,
    listed: (await tracking.call('GET', '/unknown-tags')).json().total_count,
  }
}
