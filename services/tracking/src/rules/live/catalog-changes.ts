import type { LocationPlace, TypedAsset } from '@whereabouts/contracts/messages/catalog-state'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { isScopeEmpty } from '../settings/scope-ids.queries.ts'
import type { RuleDeps } from './apply-steps.ts'
import { checkAgain } from './clock.queries.ts'
import { lookAt } from './look.ts'

type Deps = RuleDeps & {
  db: Kysely<Tables>
  wakeOutbox: () => void
  /** Called when rules have work to do. */
  wakeRules: () => void
  now?: () => number
}

/** Of one transaction. */
const AT_ONCE = 500

/**
 * Has rules look at assets that changed or were deleted, and at all assets if the tree of locations changed. Call after the states are
 * stored, as often as they are.
 */
export async function lookAtCatalog(
  deps: Deps,
  assets: readonly TypedAsset[],
  locations: readonly LocationPlace[],
): Promise<void> {
  const { db, book, view, wakeOutbox, wakeRules, now = Date.now } = deps
  // The view of this process may be behind the tables.
  for (const state of assets) {
    view.applyAsset(state)
    book.apply(state)
  }
  for (const state of locations) view.applyLocation(state)
  await noteEmptyScopes(deps, [...assets, ...locations])
  for (const orgId of new Set(locations.map((state) => state.org_id))) {
    const rules = book.of(orgId).filter(({ row }) => row.scope.location_ids.length > 0)
    if (rules.length === 0) continue
    await checkAgain(
      db,
      orgId,
      rules.map(({ id }) => id),
    )
    wakeRules()
  }
  for (const [orgId, states] of Map.groupBy(assets, (state) => state.org_id)) {
    if (book.of(orgId).length === 0 || book.isWaiting(orgId)) continue
    const ids = [...new Set(states.map(({ id }) => id))]
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const look = { orgId, assetIds: ids.slice(at, at + AT_ONCE), nowMs: now() }
      const events = await db.transaction().execute((tx) => lookAt(tx, deps, look))
      if (events > 0) wakeOutbox()
    }
  }
}

type Ended = { org_id: number; id: number; deleted_at: string | null }

/** Shows on a rule that one of its lists holds nothing but what was deleted, and that it does not any more. */
async function noteEmptyScopes({ db, book }: Deps, states: readonly Ended[]): Promise<void> {
  for (const [orgId, ofOrg] of Map.groupBy(states, (state) => state.org_id)) {
    const ids = new Set(ofOrg.map(({ id }) => id))
    for (const { id, row } of book.of(orgId)) {
      if (![...row.scope.asset_ids, ...row.scope.location_ids].some((one) => ids.has(one))) continue
      const problem = (await isScopeEmpty(db, orgId, row.scope)) ? 'scope_empty' : null
      await db
        .updateTable('rule')
        .set({ problem })
        .where('org_id', '=', orgId)
        .where('id', '=', id)
        .where((eb) => eb.or([eb('problem', 'is', null), eb('problem', '=', 'scope_empty')]))
        .where('problem', 'is distinct from', problem)
        .execute()
    }
  }
}

/** Has all rules of an organization look at all its assets, once the metadata that they ask for is known. */
export async function lookAtAll(
  { db, book, wakeRules }: Pick<Deps, 'db' | 'book' | 'wakeRules'>,
  orgId: number,
): Promise<void> {
  const rules = book.of(orgId)
  if (rules.length === 0) return
  await checkAgain(
    db,
    orgId,
    rules.map(({ id }) => id),
  )
  wakeRules()
}
