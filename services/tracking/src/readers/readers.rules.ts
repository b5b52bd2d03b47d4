import type { ReaderMapping } from '@whereabouts/contracts/reader-mapping'
import type { ReaderUpdate } from '@whereabouts/contracts/readers'

type Settings = { name: string; format: string; timezone: string | null; mapping: ReaderMapping | null }

/** The settings after a change: absent fields stay, null clears, and a mapping is replaced as a whole. */
export const withChanges = (stored: Settings, changes: ReaderUpdate): Settings => ({
  name: changes.name ?? stored.name,
  format: changes.format ?? stored.format,
  timezone: changes.timezone === undefined ? stored.timezone : changes.timezone,
  mapping: changes.mapping === undefined ? stored.mapping : changes.mapping,
})
