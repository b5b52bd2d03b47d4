import type { ImportResource } from '@whereabouts/contracts/resources/catalog/imports'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { listHomes } from '../../assets/homes/homes.queries.ts'
import type { Tx } from '../../db.ts'
import { lockTree } from '../../locations/moves.queries.ts'
import { highestNumber, lockKeys } from '../../tags/external-keys/external-keys.queries.ts'
import { numberOfKey } from '../../tags/external-keys/minted-keys.ts'
import { applyOverlay } from './dry-run-overlay.queries.ts'
import { tagName, type Snapshot } from './plan.ts'
import { sentHome, tableOf, type RowInput } from './row-input.ts'
import { clock, loadParents, loadTagOwners, loadResources } from './snapshot.queries.ts'

/** Where rows come from, and whether they are written. */
type Source = {
  org_id: number
  /** Of the import whose earlier rows a dry run counts as written. 0: none. */
  id: number
  resource: ImportResource
  dry_run: boolean
}

/**
 * What the rows depend on, as it is now.
 *
 * Takes the locks in the order of the API: tree, rows, keys, tags. Each statement follows the lock that it needs, so
 * that its snapshot is newer than the lock.
 */
export async function loadSnapshot(tx: Tx, held: Source, rows: readonly RowInput[]): Promise<Snapshot> {
  const { org_id, id, resource, dry_run } = held
  const [table, locks] = [tableOf[resource], !dry_run]
  const keys = rows.flatMap(({ key }) => key ?? [])
  const parents = rows.flatMap(({ fields }) => fields.parent_external_key ?? [])
  const named = [...new Set([...keys, ...parents])]
  if (locks && parents.length > 0) await lockTree(tx, org_id)
  const resources = new Map(
    (await loadResources(tx, org_id, table, named, locks)).map((one) => [one.key, one]),
  )
  const homes = await listHomes(tx, org_id, rows.map(sentHome), locks)
  const mints = rows.some(({ key }) => key === undefined || numberOfKey(table, key) !== undefined)
  if (locks && mints) await lockKeys(tx, org_id, table)
  const tags = rows.flatMap((row) =>
    tagTypes.flatMap((type) => (row.tags[type] ?? []).map((value) => ({ type, value }))),
  )
  const snapshot: Snapshot = {
    now: await clock(tx),
    highestNumber: mints ? await highestNumber(tx, org_id, table) : 0n,
    resources,
    tagOwners: await loadTagOwners(tx, org_id, tags),
    parents: new Map(),
    homes,
  }
  const tagNames = tags.map(({ type, value }) => tagName(type, value))
  if (dry_run) await applyOverlay(tx, org_id, id, snapshot, { keys: named, tags: tagNames })
  if (mayMove(rows, snapshot)) snapshot.parents = await loadParents(tx, org_id, id, [...new Set(parents)])
  return snapshot
}

/**
 * Whether a row may move an existing location. Only then can there be a cycle, and the ancestors of each parent are
 * needed. A later row may move a location that this batch creates, also one with a minted key.
 */
function mayMove(rows: readonly RowInput[], { resources }: Snapshot): boolean {
  const seen = new Set<string | undefined>()
  return rows.some(({ key, fields: { parent_external_key: parent } }) => {
    const isKnown = key !== undefined && (seen.has(key) || seen.has(undefined))
    seen.add(key)
    if (typeof parent !== 'string' || key === undefined) return false
    const stored = resources.get(key)
    return stored ? stored.fields.parent_external_key !== parent : isKnown
  })
}
