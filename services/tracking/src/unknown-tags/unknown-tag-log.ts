import type { Logger } from '@whereabouts/service-kit/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import type { NeutralRead } from '../formats/decoder.ts'
import {
  addUnknownTags,
  dropKnown,
  MAX_UNKNOWN_TAGS,
  trimUnknownTags,
  type Noticed,
} from './unknown-tags.queries.ts'

const FLUSH_MS = 2_000
/** Of all organizations together. */
const MAX_PENDING = 20_000

/**
 * Collects reads of unknown tags in memory and writes them every two seconds, one row per tag (D8.8). Whoever invents
 * tags fills a list of bounded length, here and in the table, and costs a write per list and not per read.
 */
export class UnknownTagLog {
  readonly #db: Kysely<Tables>
  readonly #log: Logger
  #pending = new Map<string, Noticed>()
  /** How many are pending, by organization and type. */
  #sizes = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #flushed: Promise<void> = Promise.resolve()

  constructor(db: Kysely<Tables>, log: Logger) {
    this.#db = db
    this.#log = log
  }

  note(orgId: number, read: NeutralRead): void {
    const { received_at_ms: at, rssi_dbm, antenna, reader } = read
    const known = this.#pending.get(nameOf(orgId, read.tag_type, read.tag_value))
    if (!known) return this.#add(noticed(orgId, read))
    known.reads += 1
    if (at < known.last_seen_ms) return
    known.last_seen_ms = at
    known.rssi_dbm = rssi_dbm
    known.antenna = antenna
    known.reader_key = reader
    known.ibeacon = ibeaconOf(read) ?? known.ibeacon
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** Writes what has gathered, after what is being written. A failure is logged and kept for the next time. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#write())
    return this.#flushed
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return
    const batch = [...this.#pending.values()]
    this.#pending = new Map()
    this.#sizes = new Map()
    try {
      const grown = await addUnknownTags(this.#db, batch).catch((error: unknown) => {
        for (const entry of batch) this.#giveBack(entry)
        throw error
      })
      await dropKnown(this.#db, batch)
      if (grown.length > 0) await trimUnknownTags(this.#db, grown)
    } catch (error) {
      this.#log.warn({ err: error }, 'unknown tags could not be written')
    }
  }

  #add(entry: Noticed): void {
    const list = `${entry.org_id} ${entry.tag_type}`
    const size = this.#sizes.get(list) ?? 0
    if (size >= MAX_UNKNOWN_TAGS || this.#pending.size >= MAX_PENDING) return
    this.#sizes.set(list, size + 1)
    this.#pending.set(nameOf(entry.org_id, entry.tag_type, entry.value), entry)
  }

  /** What was noticed meanwhile is newer. */
  #giveBack(entry: Noticed): void {
    const newer = this.#pending.get(nameOf(entry.org_id, entry.tag_type, entry.value))
    if (!newer) return this.#add(entry)
    newer.reads += entry.reads
    newer.first_seen_ms = Math.min(newer.first_seen_ms, entry.first_seen_ms)
    newer.ibeacon ??= entry.ibeacon
  }
}

const nameOf = (orgId: number, type: string, value: string) => `${orgId} ${type} ${value}`

const noticed = (orgId: number, read: NeutralRead): Noticed => ({
  org_id: orgId,
  tag_type: read.tag_type,
  value: read.tag_value,
  ibeacon: ibeaconOf(read) ?? null,
  first_seen_ms: read.received_at_ms,
  last_seen_ms: read.received_at_ms,
  reads: 1,
  reader_key: read.reader,
  antenna: read.antenna,
  rssi_dbm: read.rssi_dbm,
})

function ibeaconOf({ extra }: NeutralRead): string | undefined {
  const beacon = extra?.ibeacon
  return beacon && `${beacon.uuid}/${beacon.major}/${beacon.minor}`
}
