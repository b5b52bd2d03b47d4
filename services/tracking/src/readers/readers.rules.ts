import type { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import type { ReaderUpdate, TimeSource } from '@whereabouts/contracts/resources/tracking/readers'

type Settings = {
  name: string
  format: string
  timezone: string | null
  time_source: TimeSource
  mapping: ReaderMapping | null
}

/** The settings after a change: absent fields stay, null clears, and a mapping is replaced as a whole. */
export const withChanges = (stored: Settings, changes: ReaderUpdate): Settings => ({
  name: changes.name ?? stored.name,
  format: changes.format ?? stored.format,
  timezone: changes.timezone === undefined ? stored.timezone : changes.timezone,
  time_source: changes.time_source ?? stored.time_source,
  mapping: changes.mapping === undefined ? stored.mapping : changes.mapping,
})
