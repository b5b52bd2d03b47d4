/** Each organization has one of these numbers for ever. The broker computes it: deploy/nats/partitioned.conf (ADR 119). */
export const NUMBERS = 64

/** FNV-1a, as nats-server computes `partition(64,1)` of a subject. */
export function numberOf(orgId: number): number {
  let hash = 0x811c9dc5
  for (const character of String(orgId)) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0
  return hash % NUMBERS
}

/** The partition of an organization, from 0, where there are `count`: a power of two, at most `NUMBERS`. */
export const partitionOf = (orgId: number, count: number): number => numberOf(orgId) % count

/** The stream of a partition. The first one keeps the name that it has without partitions. */
export const streamOf = <S extends string>(stream: S, partition: number): S | `${S}_${number}` =>
  partition === 0 ? stream : `${stream}_${partition}`

/** The partition of the stream with this name; undefined for other streams. */
export function partitionOfStream(stream: string, name: string): number | undefined {
  if (name === stream) return 0
  const digits = name.startsWith(`${stream}_`) ? name.slice(stream.length + 1) : ''
  return /^[1-9]\d?$/.test(digits) ? Number(digits) : undefined
}

/** What a partition of SCANS stores: its numbers. The first one also takes what has no number. */
export function subjectsOf(partition: number, count: number): string[] {
  if (count === 1) return ['scans.>', 'p.*.scans.>']
  const numbers = Array.from({ length: NUMBERS / count }, (_, i) => partition + i * count)
  return [...(partition === 0 ? ['scans.>'] : []), ...numbers.map((number) => `p.${number}.scans.>`)]
}

/**
 * The partition that had the numbers of this one before; undefined for the first. Partitions only ever double: each of them gives
 * every second of its numbers to a new one.
 */
export const parentOf = (partition: number): number | undefined =>
  partition === 0 ? undefined : partition - 2 ** Math.floor(Math.log2(partition))

/** A partition, and before it those that had its numbers, the first one first. */
export function lineOf(partition: number): number[] {
  const parent = parentOf(partition)
  return parent === undefined ? [partition] : [...lineOf(parent), partition]
}

/** Where scans on this subject are stored and heard: with their number, and without it where the broker has no mapping. */
export const withNumber = (subject: string): [string, string] => [subject, `p.*.${subject}`]

/** The subject to which a message was published. */
export const withoutNumber = (subject: string): string =>
  subject.startsWith('p.') ? subject.slice(subject.indexOf('.', 2) + 1) : subject
