import type { ErrorBody } from '@whereabouts/client/client'

/** As many as one save takes. */
export const MAX_KEYS = 10_000

/** Keys as people paste them: from a column, a row, or a text. */
export const splitKeys = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((key) => key !== '')),
]

export type Added = { keys: readonly string[]; added: number; alreadyThere: number; tooMany: number }

/** The newest first, as a person who scans looks for what they scanned last. */
export function addKeys(keys: readonly string[], text: string): Added {
  const there = new Set(keys)
  const wanted = splitKeys(text)
  const fresh = wanted.filter((key) => !there.has(key))
  const taken = fresh.slice(0, MAX_KEYS - keys.length)
  return {
    keys: [...taken.toReversed(), ...keys],
    added: taken.length,
    alreadyThere: wanted.length - fresh.length,
    tooMany: fresh.length - taken.length,
  }
}

const number = (value: number) => new Intl.NumberFormat().format(value)
const counted = (count: number) => (count === 1 ? '1 key' : `${number(count)} keys`)

/** What became of what was scanned or pasted, in a sentence. */
export function addedText({ added, alreadyThere, tooMany }: Added): string {
  const parts = [
    ...(added > 0 || (alreadyThere === 0 && tooMany === 0) ? [`${counted(added)} added.`] : []),
    ...(alreadyThere > 0 ? [`${counted(alreadyThere)} in the list already.`] : []),
    ...(tooMany > 0 ? [`${counted(tooMany)} left out: one save takes ${number(MAX_KEYS)}.`] : []),
  ]
  return parts.join(' ')
}

/**
 * Messages of the API by key: an entry names the key itself, or its place among those sent. What it says of other
 * fields is not in it.
 */
export function problemsOf(error: ErrorBody | undefined, sent: readonly string[]): Map<string, string> {
  const problems = new Map<string, string>()
  for (const { field, code, message, params } of error?.fields ?? []) {
    if (!field.startsWith('asset_identifiers')) continue
    const place = /^asset_identifiers\[(\d+)\]$/.exec(field)?.[1]
    const key = place === undefined ? params?.['value'] : sent[Number(place)]
    if (typeof key !== 'string') continue
    problems.set(key, code === 'fk_not_found' ? 'No asset has this key' : withoutField(message, field))
  }
  return problems
}

const withoutField = (message: string, field: string) =>
  message.startsWith(`${field} `) ? `It ${message.slice(field.length + 1)}` : message
