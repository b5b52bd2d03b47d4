import { alertRaised, alertResolved } from '@whereabouts/contracts/messages/alerts/alert-events'
import { MOST_OPEN_ALERTS } from '@whereabouts/contracts/resources/rules/rules'
import { enqueueAll, queued } from '@whereabouts/db/outbox/outbox'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Tx } from '../../db.ts'
import { listAlertsById } from '../alerts/alerts.queries.ts'
import { toAlertEvent } from '../alerts/alerts.views.ts'
import type { Changes, Raised } from './changes.ts'
import {
  countOpen,
  endOlderAlerts,
  insertAlerts,
  lockRules,
  insertTooMany,
  resolveAlerts,
  type LockedRule,
} from './settle.queries.ts'
import { deleteHolds, saveHolds } from './holds.queries.ts'

/**
 * Stores what a transaction changes of holds and alerts, with the events. Every writer of alerts comes here last, after the positions
 * and the holds are locked, and locks the rules in their order. A rule that changed meanwhile raises nothing: its assets are looked
 * at again. Returns the number of events.
 */
export async function settle(tx: Tx, view: CatalogView, changes: Changes): Promise<number> {
  const { raised, resolved } = changes
  const rules = await lockRules(tx, [...raised.map(ofRule), ...resolved])
  const current = raised.filter((one) => isCurrent(rules.get(nameOf(ofRule(one))), one))
  const events: { id: number; orgId: number; isRaised: boolean }[] = []
  const ended = [...(await resolveAlerts(tx, resolved)), ...(await endOlderAlerts(tx, current))]
  for (const { orgId, id, ruleId, counts } of ended) {
    events.push({ id, orgId, isRaised: false })
    const rule = rules.get(nameOf({ orgId, ruleId }))
    if (rule && counts) rule.openAlerts -= 1
  }
  const admitted = current.filter((one) => admit(rules.get(nameOf(ofRule(one))), one))
  const inserted = await insertAlerts(tx, admitted, (one) => rules.get(nameOf(ofRule(one)))?.tells === true)
  for (const [one, id] of inserted) {
    events.push({ id, orgId: one.rule.orgId, isRaised: true })
    const rule = rules.get(nameOf(ofRule(one)))
    if (rule) rule.hasNew = true
    if (one.ending) events.push({ id, orgId: one.rule.orgId, isRaised: false })
  }
  await countOpen(tx, [...rules.values()])
  for (const about of await insertTooMany(tx, [...rules.values()])) events.push({ ...about, isRaised: true })
  await saveAll(tx, changes, { rules, inserted })
  await enqueueEvents(tx, view, events)
  return events.length
}

type RuleKey = { orgId: number; ruleId: number }
const nameOf = ({ orgId, ruleId }: RuleKey) => `${orgId} ${ruleId}`
const ofRule = ({ rule }: Raised): RuleKey => ({ orgId: rule.orgId, ruleId: rule.id })

const isCurrent = (rule: LockedRule | undefined, { rule: { revision } }: Raised) =>
  rule !== undefined && rule.isOn && rule.revision === revision

/** Whether there is room for one more open alert. One that is over already needs none. */
function admit(rule: LockedRule | undefined, { ending }: Raised): boolean {
  if (!rule) return false
  if (ending) return true
  if (rule.openAlerts >= MOST_OPEN_ALERTS) {
    rule.isFull = true
    return false
  }
  rule.openAlerts += 1
  return true
}

async function saveAll(
  tx: Tx,
  changes: Changes,
  { rules, inserted }: { rules: ReadonlyMap<string, LockedRule>; inserted: ReadonlyMap<Raised, number> },
): Promise<void> {
  await deleteHolds(tx, changes.deleted)
  await saveHolds(
    tx,
    changes.saved.flatMap((hold) => {
      const raised = changes.raisedFor(hold)
      if (!raised) return hold
      const alertId = inserted.get(raised)
      if (alertId !== undefined) return { ...hold, alertId }
      // Passed over: it is raised when there is room. Of a rule that changed, the next look decides.
      return rules.get(nameOf(hold))?.isFull
        ? { ...hold, raisedMs: null, dueMs: Infinity }
        : { ...hold, dueMs: null }
    }),
  )
}

async function enqueueEvents(
  tx: Tx,
  view: CatalogView,
  events: readonly { id: number; orgId: number; isRaised: boolean }[],
): Promise<void> {
  if (events.length === 0) return
  const rows = await listAlertsById(tx, events)
  const byId = new Map(rows.map((row) => [row.id, row]))
  await enqueueAll(
    tx,
    events.flatMap(({ id, isRaised }) => {
      const row = byId.get(id)
      if (!row?.sends_events) return []
      return queued(isRaised ? alertRaised : alertResolved, [toAlertEvent(row, view, isRaised)])
    }),
  )
}
