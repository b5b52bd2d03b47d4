import { groupBy } from './group-by.ts'
import {
  instant,
  type Delivery,
  type Finding,
  type Movement,
  type OrgFacts,
  type OrgLedger,
} from './ledger.ts'

/** When the connection to the receiver of an organization was disturbed. */
export type Disturbance = { orgId: number; startedAtMs: number; endedAtMs: number }

/** A delivery has three attempts (D11.3). */
const ATTEMPTS = 3
/** All attempts of a delivery are over in this time, if its lane does not wait. */
const DELIVERY_MS = 60_000

/** Compares the movements with the history and with what the receiver got (D8, D11). */
export function checkMovements(
  ledger: OrgLedger,
  facts: OrgFacts,
  disturbances: readonly Disturbance[] = [],
): Finding[] {
  const cuts = disturbances.filter(({ orgId }) => orgId === ledger.id)
  return [
    ...twice(facts.movements),
    ...chains(ledger, facts),
    ...facts.movements.flatMap((movement) => delivered(movement, facts.deliveries, cuts)),
    ...facts.deliveries.flatMap((delivery) => genuine(delivery, ledger)),
    ...bodies(facts),
  ]
}

function twice(movements: readonly Movement[]): Finding[] {
  return [...groupBy(movements, (movement) => movement.deliveryId)]
    .filter(([, same]) => same.length > 1)
    .map(([id, same]) => ({ kind: 'movement twice', what: `${id} is ${same.length} times in EVENTS` }))
}

/** Each movement of an asset starts where the one before ended, and the last one ends where the report shows it. */
function chains(ledger: OrgLedger, facts: OrgFacts): Finding[] {
  const byAsset = groupBy(distinct(facts.movements), (movement) => movement.assetId)
  return [...ledger.assets.values()].flatMap((asset) => {
    const findings: Finding[] = []
    let place: number | null = null
    for (const { fromId, toId, occurredAtMs, deliveryId } of byOccurrence(byAsset.get(asset.id) ?? [])) {
      if (fromId !== place)
        findings.push({
          kind: 'movement missing',
          what: `${asset.key} was at ${place}, then ${deliveryId} of ${instant(occurredAtMs)} moves it from ${fromId}`,
        })
      place = toId
    }
    const shown = facts.report.get(asset.id)?.locationId ?? null
    if (shown !== place)
      findings.push({
        kind: 'last movement missing',
        what: `${asset.key} is at ${shown}, but its last movement went to ${place}`,
      })
    return findings
  })
}

const distinct = (movements: readonly Movement[]) => [
  ...new Map(movements.map((movement) => [movement.deliveryId, movement])).values(),
]
const byOccurrence = (movements: readonly Movement[]) =>
  movements.toSorted((a, b) => a.occurredAtMs - b.occurredAtMs)

/** A receiver that answers gets every movement; one that fails, three attempts. */
function delivered(
  { deliveryId, assetId, occurredAtMs }: Movement,
  deliveries: readonly Delivery[],
  cuts: readonly Disturbance[],
): Finding[] {
  const seen = deliveries.filter((delivery) => delivery.deliveryId === deliveryId)
  if (seen.some(({ status }) => status >= 200 && status < 300)) return []
  const what = `${deliveryId}, a movement of asset ${assetId} at ${instant(occurredAtMs)}`
  if (seen.length === 0) return [{ kind: 'movement not delivered', what: `the receiver never got ${what}` }]
  const last = Math.max(...seen.map(({ atMs }) => atMs))
  const disturbed = cuts.some(
    ({ startedAtMs, endedAtMs }) => startedAtMs < last + DELIVERY_MS && endedAtMs > last - DELIVERY_MS,
  )
  if (seen.length >= ATTEMPTS || disturbed) return []
  return [
    {
      kind: 'movement given up',
      what: `only ${seen.length} attempts, none with a 2xx, were made of ${what}`,
    },
  ]
}

function genuine(delivery: Delivery, ledger: OrgLedger): Finding[] {
  const { data } = JSON.parse(delivery.body) as { data: { asset: { id: number } } }
  const findings: Finding[] = []
  if (!delivery.hasValidSignature)
    findings.push({
      kind: 'signature wrong',
      what: `the signature of ${delivery.deliveryId} does not verify`,
    })
  if (!ledger.assets.has(data.asset.id))
    findings.push({
      kind: 'delivery of another organization',
      what: `organization ${ledger.id} got ${delivery.deliveryId} of asset ${data.asset.id}, which is not its own`,
    })
  return findings
}

/** An id has one body, and stands for a movement. */
function bodies({ deliveries, movements }: OrgFacts): Finding[] {
  const known = new Set(movements.map(({ deliveryId }) => deliveryId))
  return [...groupBy(deliveries, (delivery) => delivery.deliveryId)].flatMap(([id, same]) => {
    const findings: Finding[] = []
    if (new Set(same.map(({ body }) => body)).size > 1)
      findings.push({ kind: 'delivery with two bodies', what: `${id} was delivered with different bodies` })
    if (!known.has(id))
      findings.push({
        kind: 'delivery without a movement',
        what: `${id} was delivered, but is not in EVENTS`,
      })
    return findings
  })
}
