import { BURST_SECONDS } from '@whereabouts/contracts/messages/reader-rates'
import type { Arrival } from '@whereabouts/messaging/messages/delivery'
import type { ReaderHealthLog } from '../../readers/health/reader-health.ts'
import type { IngestMetrics } from '../ingest-metrics.ts'
import { readerSubject } from '../reads/reader-subject.ts'
import type { KeyRates } from './key-rates.ts'
import type { OrgRate } from '../../readers/health/org-rate.ts'
import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import type { ReaderMessage } from '../reads/reader-message.ts'
import { ReplicaShare } from './replica-share.ts'

/** Whether an organization may store no more in OVERFLOW. */
type Overflow = {
  isShareUsed(group: string): boolean
  /** Of a partition, whose messages all come to this replica. */
  readonly isOwned?: boolean
}

type Deps = {
  rates: Pick<KeyRates, 'rateOf'>
  health: Pick<ReaderHealthLog, 'note'>
  metrics: Pick<IngestMetrics, 'overRate'>
}

/** Marked seconds kept per organization. Copies come a quarter of a second after the scans, and later if they lag. */
const MAX_MARKS = 600
const MAX_MARKED_ORGS = 1_000

/**
 * Admits as many reader messages a second as their organization may send. Call it on arrival, in the order of the stream. It
 * always admits redelivered messages, which were admitted before, and replayed ones, which no reader sent.
 */
export class Admission {
  readonly #deps: Deps
  readonly #scans = new StreamBuckets()
  readonly #copies = new StreamBuckets()
  /** By organization, the newest seconds in which SCANS dropped messages. */
  readonly #marks = new Map<number, Set<number>>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * For messages of SCANS. Counts a dropped message on its reader. A message beyond the reads of its organization waits in
   * OVERFLOW, and is dropped only if the organization has used up its share of that.
   */
  readonly admitScan = (message: Arrival, overflow?: Overflow): boolean => {
    if (overflow?.isOwned !== true) this.#scans.note(message)
    const subject = readerSubject(message.subject)
    if (subject?.format === undefined || message.deliveryCount > 1 || message.isReplayed) return true
    const { orgId, readerKey } = subject
    const rate = this.#deps.rates.rateOf(orgId)
    const isTaken = this.#scans.take(orgId, message, rate)
    const isCostly = isTaken && this.#scans.isOverReads(orgId, message.receivedAt, rate)
    if (isTaken && !isCostly) return true
    this.#mark(orgId, secondOf(message))
    const isAdmitted = isCostly && overflow?.isShareUsed(String(orgId)) !== true
    const dropped = isAdmitted ? 0 : 1
    if (!isAdmitted) this.#deps.metrics.overRate('scans')
    this.#deps.health.note(orgId, readerKey, {
      seenAtMs: message.receivedAt,
      messages: dropped,
      messages_over_rate: dropped,
      overRate: { ...rate, limit: isCostly ? 'reads' : 'messages' },
    })
    return isAdmitted
  }

  /** For a decoded message of SCANS or OVERFLOW: charges its reads to its organization. */
  charge({ orgId, receivedAtMs, decoded }: ReaderMessage): void {
    this.#scans.charge(orgId, receivedAtMs, decoded.reads.length, this.#deps.rates.rateOf(orgId))
  }

  /** Whether the organization had sent more reads than it may when this message was received. */
  isOverReads(orgId: number, receivedAtMs: number): boolean {
    return this.#scans.isOverReads(orgId, receivedAtMs, this.#deps.rates.rateOf(orgId))
  }

  /**
   * For the broker's copies of MQTT messages. They have their own bucket, because SCANS may have missed them. Drops
   * copies of seconds in which SCANS dropped messages.
   */
  readonly admitCopy = (message: Arrival): boolean => {
    this.#copies.note(message)
    const subject = readerSubject(message.subject)
    if (subject?.format === undefined || message.deliveryCount > 1) return true
    const { orgId } = subject
    const isMarked = this.#isMarked(orgId, secondOf(message))
    const rate = this.#deps.rates.rateOf(orgId)
    if (this.#copies.take(orgId, message, rate) && !isMarked) return true
    this.#deps.metrics.overRate('mqtt_copies')
    return false
  }

  #mark(orgId: number, second: number): void {
    const marks = this.#marks.get(orgId) ?? new Set()
    this.#marks.delete(orgId)
    this.#marks.set(orgId, marks) // the organization with the newest mark is last
    marks.add(second)
    for (const old of marks) {
      if (marks.size <= MAX_MARKS) break
      marks.delete(old)
    }
    const [first] = this.#marks.keys()
    if (this.#marks.size > MAX_MARKED_ORGS && first !== undefined) this.#marks.delete(first)
  }

  /** One second of tolerance, because the two streams receive a message some milliseconds apart. */
  #isMarked(orgId: number, second: number): boolean {
    const marks = this.#marks.get(orgId)
    return marks !== undefined && [second - 1, second, second + 1].some((one) => marks.has(one))
  }
}

/** The buckets of one stream, for messages, for bytes and for reads. */
class StreamBuckets {
  readonly #messages = new RateBuckets(BURST_SECONDS.messages)
  readonly #bytes = new RateBuckets(BURST_SECONDS.bytes)
  readonly #reads = new RateBuckets(BURST_SECONDS.reads)
  readonly #share = new ReplicaShare()

  note({ deliverySeq }: Arrival): void {
    this.#share.note(deliverySeq)
  }

  take(
    orgId: number,
    { receivedAt, data }: Arrival,
    { messagesPerSecond, bytesPerSecond }: OrgRate,
  ): boolean {
    const share = this.#share.value
    return (
      this.#bytes.take(orgId, receivedAt, bytesPerSecond * share, data.length) &&
      this.#messages.take(orgId, receivedAt, messagesPerSecond * share)
    )
  }

  charge(orgId: number, atMs: number, reads: number, { readsPerSecond }: OrgRate): void {
    this.#reads.charge(orgId, atMs, readsPerSecond * this.#share.value, reads)
  }

  isOverReads(orgId: number, atMs: number, { readsPerSecond }: OrgRate): boolean {
    return this.#reads.isInDebt(orgId, atMs, readsPerSecond * this.#share.value)
  }
}

const secondOf = ({ receivedAt }: Arrival) => Math.floor(receivedAt / 1_000)
