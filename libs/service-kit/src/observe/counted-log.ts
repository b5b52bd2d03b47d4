type Fields = Record<string, unknown>

export type CountedLog = {
  /** Counts an event of this key. `fields` are those of the line; the newest are shown. */
  count(key: string, fields: Fields): void
  /** Writes the counts that have no line yet. */
  close(): void
}

type Options = { intervalMs?: number; maxKeys?: number }
type Entry = { count: number; fields: Fields }

/** Counts all keys beyond the limit together. */
const OTHERS = 'others'

/**
 * A log for events that anybody can cause at will. The first event of a key is written at once, later ones as one
 * line per interval with their number. Counts are never evicted before their line.
 */
export function countedLog(
  write: (fields: Fields & { count: number }) => void,
  { intervalMs = 60_000, maxKeys = 1_000 }: Options = {},
): CountedLog {
  const entries = new Map<string, Entry>()

  /** Returns whether there was something to tell. */
  function tell(entry: Entry): boolean {
    const { count, fields } = entry
    entry.count = 0
    if (count > 0) write({ ...fields, count })
    return count > 0
  }

  function tellLater(key: string, entry: Entry): void {
    setTimeout(() => {
      if (tell(entry)) tellLater(key, entry)
      else entries.delete(key)
    }, intervalMs).unref()
  }

  return {
    count(key, given) {
      const isKnown = entries.has(key) || entries.size < maxKeys
      const [name, fields] = isKnown ? [key, given] : [OTHERS, { others: true }]
      const known = entries.get(name)
      const entry = known ?? { count: 0, fields }
      entry.count += 1
      entry.fields = fields
      if (known) return
      entries.set(name, entry)
      tell(entry)
      tellLater(name, entry)
    },
    close() {
      for (const entry of entries.values()) tell(entry)
    },
  }
}
