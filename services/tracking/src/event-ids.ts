import { createHash } from 'node:crypto'

/** Never change it: another namespace would give every old movement a second id. */
const NAMESPACE = Buffer.from('6f1d5a7c0b7e4e5a9d0c3f8a2b64c1de', 'hex')

/** A UUID of version 5 (RFC 9562): the same name always gives the same id. */
function uuidV5(name: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(name, 'utf8').digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

type Move = {
  orgId: number
  assetId: number
  minute: number
  from: number | null
  to: number
  kind: 'scan' | 'save'
  /** Milliseconds since 1970. */
  observedAtMs: number
}

/**
 * The same movement always gets the same id, so that handling it again creates no second event (D8.10). Readers move an
 * asset once a minute, but a person may save it several times: each save of an asset has an instant of its own (D18.6).
 */
export function deliveryId({ orgId, assetId, minute, from, to, kind, observedAtMs }: Move): string {
  const facts = [orgId, assetId, minute, from ?? '-', to, kind]
  return uuidV5((kind === 'save' ? [...facts, observedAtMs] : facts).join(':'))
}

/**
 * Of another event: the facts that make it the same event if its cause is handled again. The first is the kind of event.
 */
export const eventId = (...facts: readonly (string | number)[]): string => uuidV5(facts.join(':'))
