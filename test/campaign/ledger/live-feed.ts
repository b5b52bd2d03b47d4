import type { Finding, Movement } from './ledger.ts'

/** What a live feed has sent, in order. `resets`: how often it said that movements may be missing. */
export type LiveView = { deliveryIds: string[]; resets: number }

/** A client that reconnects with the id of its last event sees every movement once. */
export function checkLiveFeed(orgId: number, movements: readonly Movement[], view: LiveView): Finding[] {
  const seen = new Set(view.deliveryIds)
  const findings: Finding[] = []
  const found = (kind: string, what: string) =>
    void findings.push({ kind, what: `organization ${orgId}: ${what}` })
  const missing = movements.filter(({ deliveryId }) => !seen.has(deliveryId))
  for (const { deliveryId } of missing)
    found('live movement missing', `the live feed did not send ${deliveryId}`)
  if (seen.size < view.deliveryIds.length)
    found('live movement twice', `the live feed sent ${view.deliveryIds.length - seen.size} movements again`)
  const known = new Set(movements.map(({ deliveryId }) => deliveryId))
  for (const id of seen.difference(known)) found('live movement unknown', `${id} is not in EVENTS`)
  if (view.resets > 0) found('live feed reset', `the live feed could not resume ${view.resets} times`)
  return findings
}
