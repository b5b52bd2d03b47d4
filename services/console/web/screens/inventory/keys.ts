import type { ErrorBody } from '@whereabouts/client/client'

/** Limit of the API per save. */
export const MAX_KEYS = 10_000

/** Splits pasted text into unique keys. */
export const splitKeys = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((key) => key !== '')),
]

export type Added = { keys: readonly string[]; added: number; alreadyThere: number; tooMany: number }

/** Adds keys, newest first, so that a person sees the last scan. */
export function addKeys(keys: readonly string[], text: string): Added {
  const there = new Set(keys)
  const given = splitKeys(text)
  const fresh = given.filter((key) => !there.has(key))
  const accepted = fresh.slice(0, MAX_KEYS - keys.length)
  return {
    keys: [...accepted.toReversed(), ...keys],
    added: accepted.length,
    alreadyThere: given.length - fresh.length,
    tooMany: fresh.length - accepted.length,
  }
}

const number = (value: number) => new Intl.NumberFormat().format(value)
const counted = (count: number) => (count === 1 ? '1 key' : `${number(count)} keys`)

/** The result of adding keys, in a sentence. */
export function addedText({ added, alreadyThere, tooMany }: Added): string {
  const parts = [
    ...(added > 0 || (alreadyThere === 0 && tooMany === 0) ? [`${counted(added)} added.`] : []),
    ...(alreadyThere > 0 ? [`${counted(alreadyThere)} already in the list.`] : []),
    ...(tooMany > 0 ? [`${counted(tooMany)} left out: the limit per save is ${number(MAX_KEYS)}.`] : []),
  ]
  return parts.join(' ')
}

/**
 * Messages of the API by key. An entry contains the key itself or its index in `sent`. Skips messages of other fields.
 */
export function problemsOf(error: ErrorBody | undefined, sent: readonly string[]): Map<string, string> {
  const problems = new Map<string, string>()
  for (const { field, code, message, params } of error?.fields ?? []) {
    if (!field.startsWith('asset_identifiers')) continue
    const index = /^asset_identifiers\[(\d+)\]$/.exec(field)?.[1]
    const key = index === undefined ? params?.['value'] : sent[Number(index)]
    if (typeof key !== 'string') continue
    problems.set(key, code === 'fk_not_found' ? 'No asset has this key' : withoutField(message, field))
  }
  return problems
}

const withoutField = (message: string, field: string) =>
  message.startsWith(`${field} `) ? `It ${message.slice(field.length + 1)}` : message
