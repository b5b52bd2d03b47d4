import type { HealthDetail, HealthEvent } from '../../formats/decoder.ts'

/** The last report of a device on one topic. `at` and `received_at` are ISO 8601. */
type DeviceReport = { kind: string; at: string | null; received_at: string; detail: HealthDetail }

/** The newest report of each topic. The topics are bounded, so that a reader's row stays small. */
export type DeviceReports = Record<string, DeviceReport>

export const MAX_ANTENNAS = 32
const MAX_DETAIL_LENGTH = 1_000
const [YEAR_1, YEAR_9999_END] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]
/** Characters that PostgreSQL refuses in text, as JSON escapes them. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** Adds events to `into`. Of two of one topic, it keeps the one that was received later. */
export function report(into: DeviceReports, events: readonly HealthEvent[]): void {
  for (const event of events) {
    const topic = topicOf(event)
    const received_at = wireTime(event.received_at_ms) ?? ''
    if (topic === undefined || (into[topic]?.received_at ?? '') > received_at) continue
    into[topic] = { kind: event.kind, at: wireTime(event.at_ms), received_at, detail: bounded(event.detail) }
  }
}

/** Two kinds of event that end each other share a topic. Each antenna has its own topic. */
function topicOf({ kind, detail }: HealthEvent): string | undefined {
  if (kind === 'connected' || kind === 'disconnected') return 'connection'
  if (kind !== 'antenna_connected' && kind !== 'antenna_disconnected') return kind
  const antenna = Number(detail['antenna'])
  return antenna >= 1 && antenna <= MAX_ANTENNAS ? `antenna ${antenna}` : undefined
}

function wireTime(ms: number | null): string | null {
  return ms === null || !(ms >= YEAR_1 && ms <= YEAR_9999_END) ? null : new Date(ms).toISOString()
}

function bounded(detail: HealthDetail): HealthDetail {
  const text = JSON.stringify(detail)
  return text.length > MAX_DETAIL_LENGTH || UNSTORABLE.test(text) ? { omitted: true } : detail
}

const MAX_LOST = 1_000_000_000

/** Number of reads that a device reports as lost, at least one per report. */
export function readsLost(events: readonly HealthEvent[]): number {
  let lost = 0
  for (const { kind, detail } of events) {
    if (kind !== 'reads_lost') continue
    const count = detail['count']
    lost += typeof count === 'number' && count >= 1 ? Math.min(Math.trunc(count), MAX_LOST) : 1
  }
  return Math.min(lost, MAX_LOST)
}
