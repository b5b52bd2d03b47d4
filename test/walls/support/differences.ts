import { durables, type StreamState, type Watcher } from './watcher.ts'

export type Via = 'NATS' | 'MQTT'

/** The content of the broker that an organization may change. */
export type Own = {
  /** Its scans and its dead letters. */
  isOwn: (subject: string) => boolean
  /** Streams whose sequence numbers change with every connection. Their other subjects are still compared. */
  mayMove: (stream: string) => boolean
}

/** `via`: over MQTT each connection writes its session and removes it at its end. */
export function ownSubjects(orgId: number, via: Via = 'NATS'): Own {
  const own = [`scans.${orgId}.`, `$MQTT.msgs.scans.${orgId}.`, `dead.${orgId}.`]
  return {
    isOwn: (subject) => own.some((start) => subject.startsWith(start)),
    mayMove: (stream) => via === 'MQTT' && stream.startsWith('$MQTT_'),
  }
}

/** One line for each change in a stream of `before`, and for each new stream. Changes of `own` are allowed. */
export async function differences(
  watcher: Watcher,
  before: readonly StreamState[],
  own: Own,
): Promise<string[]> {
  const after = new Map((await watcher.streams()).map((stream) => [stream.name, stream]))
  const changed = before.map((was) => difference(watcher, was, after.get(was.name), own))
  const known = new Set(before.map(({ name }) => name))
  const added = [...after.keys()].filter((name) => !known.has(name)).map((name) => `${name}: is new`)
  return [...(await Promise.all(changed)).flat(), ...added]
}

async function difference(watcher: Watcher, was: StreamState, is: StreamState | undefined, own: Own) {
  if (!is) return [`${was.name}: is gone`]
  const lines = configLines(was, is)
  const { isOwn } = own
  const mayMove =
    own.mayMove(was.name) || [...Object.keys(was.subjects), ...Object.keys(is.subjects)].some(isOwn)
  if (!mayMove) lines.push(...placeLines(was, is))
  for (const subject of new Set([...Object.keys(was.subjects), ...Object.keys(is.subjects)]))
    if (!isOwn(subject) && was.subjects[subject] !== is.subjects[subject])
      lines.push(`${subject}: ${was.subjects[subject] ?? 0} → ${is.subjects[subject] ?? 0} messages`)
  if (!mayMove) lines.push(...(await newest(watcher, was, is)))
  return lines.map((line) => `${was.name}: ${line}`)
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const configLines = (was: StreamState, is: StreamState) => [
  ...(isSame(was.config, is.config) ? [] : ['its configuration changed']),
  ...(isSame(durables(was), durables(is)) ? [] : ['its durable consumers changed']),
]

const placeLines = (was: StreamState, is: StreamState) =>
  (['first', 'last', 'messages', 'deleted'] as const)
    .filter((place) => was[place] !== is[place])
    .map((place) => `${place} ${was[place]} → ${is[place]}`)

const SHOWN = 5

/** The messages stored meanwhile, so that a failure shows the attack. */
async function newest(watcher: Watcher, was: StreamState, is: StreamState): Promise<string[]> {
  const count = Math.min(SHOWN, Math.max(0, is.last - was.last))
  const stored = await Promise.all(
    Array.from({ length: count }, (_, i) => watcher.message(is.name, was.last + 1 + i)),
  )
  return stored.flatMap((message) =>
    message ? [`stored ${message.subject} ${Buffer.from(message.data).toString().slice(0, 80)}`] : [],
  )
}
