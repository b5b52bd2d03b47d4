import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { epochMs } from '../../sql-times.ts'
import { begin, elapse } from '../decide/holds.ts'
import { neededMs } from '../decide/rule.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { currentHold, holdsBySubject, type RuleDeps } from './apply-steps.ts'
import { Changes } from './changes.ts'
import { lockHolds } from './holds.queries.ts'
import { settle } from './settle.ts'

const AT_ONCE = 500

type Span = { rule: BookedRule; fromMs: number; untilMs: number }

/**
 * Holds a rule for assets whose pause became too long in this span. The newest rows of assets are in the order of time, so each asset is
 * found once; one that was seen since is not found.
 */
export async function lookForUnseen(
  tx: Tx,
  { view }: RuleDeps,
  { rule, fromMs, untilMs }: Span,
): Promise<{ checkedMs: number; events: number }> {
  const { orgId } = rule
  const longMs = neededMs(rule) + rule.forMs
  const found = await findUnseen(tx, orgId, fromMs - longMs, untilMs - longMs)
  const last = found.at(-1)
  // Those of the last instant are found again, because there may be more of them.
  const checkedMs = found.length === AT_ONCE && last ? last.observedAtMs + longMs - 1 : untilMs
  const positions = await lockPositions(
    tx,
    found.map(({ assetId }) => ({ orgId, assetId })),
  )
  const holds = holdsBySubject(
    await lockHolds(
      tx,
      positions.map(({ assetId }) => ({ orgId, subjectId: assetId })),
    ),
  )
  const changes = new Changes()
  for (const { assetId, observedAtMs, locationId } of positions) {
    if (observedAtMs + longMs > untilMs || currentHold(holds, rule, assetId)) continue
    if (!rule.covers(assetId) || !rule.isInside(locationId)) continue
    const begun = elapse(rule, begin(rule, observedAtMs), untilMs)
    changes.note(rule, { type: 'asset', id: assetId }, undefined, begun, {
      before: locationId,
      after: locationId,
    })
  }
  return { checkedMs: Math.max(checkedMs, fromMs + 1), events: await settle(tx, view, changes) }
}

async function findUnseen(
  tx: Tx,
  orgId: number,
  afterMs: number,
  untilMs: number,
): Promise<{ assetId: number; observedAtMs: number }[]> {
  const [after, until] = [afterMs, untilMs].map((ms) => new Date(ms).toISOString())
  const { rows } = await sql<{ assetId: number; observedAtMs: number }>`
    select asset_id as "assetId", ${epochMs('observed_at')} as "observedAtMs" from position
    where org_id = ${orgId} and observed_at > ${after} and observed_at <= ${until}
      and minute > '-infinity' and valid_from is not null and deleted_at is null
    order by observed_at, asset_id limit ${AT_ONCE}`.execute(tx)
  return rows
}
