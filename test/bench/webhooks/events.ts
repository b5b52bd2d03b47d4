import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'

/** Ids of organizations start after this. The n-th one's webhook has the path `/hook/n`. */
const FIRST_ORG = 1_000

export const orgIdOf = (n: number): number => FIRST_ORG + n
export const pathOf = (n: number): string => `/hook/${n}`

/** A UUID that carries the number of the delivery, so that the receiver need not parse the body. */
export const deliveryIdOf = (number: number): string =>
  `00000000-0000-5000-8000-${number.toString(16).padStart(12, '0')}`

const asset = { id: 4_503_599_627_370_497, external_key: 'PALLET-0031', name: 'Euro pallet 31, wood' }
const places = {
  from_location: { id: 4_503_599_627_370_501, name: 'Receiving dock 1' },
  to_location: { id: 4_503_599_627_370_513, name: 'Aisle C, bay 12' },
}

/** The event as tracking publishes it. */
export function eventOf(orgId: number, number: number): string {
  const [delivery_id, occurred_at] = [deliveryIdOf(number), new Date().toISOString()]
  const event: AssetMoved = { delivery_id, org_id: orgId, occurred_at, kind: 'scan', asset, ...places }
  return JSON.stringify(event)
}
