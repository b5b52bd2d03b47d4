import { beaconText } from '@whereabouts/contracts/resources/catalog/beacons'
import { uniqueForm } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import type { NeutralRead } from '../../formats/decoder.ts'
import { WriteBehind } from '../../write-behind.ts'
import {
  addUnknownTags,
  deleteTagsNowKnown,
  MAX_UNKNOWN_TAGS,
  trimUnknownTags,
  type UnknownTagEntry,
} from './unknown-tags.queries.ts'

/** The reads of a tag in a message: the last one with the facts of its message, and their number. */
export type UnknownTagRead = NeutralRead & { reader: string; received_at_ms: number; reads: number }

const FLUSH_MS = 2_000
/** Of all organizations. */
const MAX_PENDING = 20_000

/**
 * Collects reads of unknown tags in memory and writes them every two seconds, one row for each tag (D8.8). The lists
 * are bounded, here and in the table, so that a reader that invents tags costs one write for each list, not for each
 * read.
 */
export class UnknownTagLog extends WriteBehind<UnknownTagEntry, { org_id: number; tag_type: string }[]> {
  constructor(db: Kysely<Tables>, log: Logger) {
    super({
      what: 'unknown tags',
      log,
      flushMs: FLUSH_MS,
      maxEntries: MAX_PENDING,
      maxPerGroup: MAX_UNKNOWN_TAGS,
      nameOf: (entry) => nameOf(entry.org_id, entry.tag_type, entry.value),
      groupOf: (entry) => `${entry.org_id} ${entry.tag_type}`,
      merge,
      write: (entries) => addUnknownTags(db, entries),
      cleanUp: async (grown, entries) => {
        await deleteTagsNowKnown(db, entries)
        if (grown.length > 0) await trimUnknownTags(db, grown)
      },
    })
  }

  note(orgId: number, read: UnknownTagRead): void {
    const { received_at_ms: at, rssi_dbm, antenna, reader } = read
    const known = this.get(nameOf(orgId, read.tag_type, valueOf(read)))
    if (!known) return void this.add(firstRead(orgId, read))
    known.reads += read.reads
    if (at < known.last_seen_ms) return
    known.last_seen_ms = at
    known.rssi_dbm = rssi_dbm
    known.antenna = antenna
    known.reader_key = reader
    known.ibeacon = ibeaconOf(read) ?? known.ibeacon
  }
}

/** Adds an older entry of the same tag to `entry`. */
function merge(entry: UnknownTagEntry, older: UnknownTagEntry): void {
  entry.reads += older.reads
  entry.first_seen_ms = Math.min(entry.first_seen_ms, older.first_seen_ms)
  entry.ibeacon ??= older.ibeacon
}

const nameOf = (orgId: number, type: string, value: string) => `${orgId} ${type} ${value}`

/** Two spellings of a barcode, which look the same, are one unknown tag (D19.2). */
const valueOf = ({ tag_type, tag_value }: NeutralRead) => uniqueForm(tag_type, tag_value)

const firstRead = (orgId: number, read: UnknownTagRead): UnknownTagEntry => ({
  org_id: orgId,
  tag_type: read.tag_type,
  value: valueOf(read),
  ibeacon: ibeaconOf(read) ?? null,
  first_seen_ms: read.received_at_ms,
  last_seen_ms: read.received_at_ms,
  reads: read.reads,
  reader_key: read.reader,
  antenna: read.antenna,
  rssi_dbm: read.rssi_dbm,
})

/** Also of a read whose value is the beacon itself, because its message has no address. */
export function ibeaconOf({ tag_type, tag_value, extra }: NeutralRead): string | undefined {
  if (extra?.ibeacon) return beaconText(extra.ibeacon)
  return tag_type === 'ble' && tag_value.includes('/') ? tag_value : undefined
}
