import type { JetStreamManager } from 'nats'
import { natsOf, type Broker } from '../connect/connection.ts'
import { findDeadLetter, type DeadLetter } from './dead-letters.ts'
import { describeError } from '../connect/logger.ts'
import { publishMany } from '../messages/publish.ts'
import { asReplayed } from '../messages/replayed.ts'
import { unlessGone } from '../messages/stored.ts'
import { streams, type StreamName } from '../connect/topology.ts'

/** Result: where the message was stored again, or why the dead letter is still there. */
export type Settled = { ok: true; storedAs?: string } | { ok: false; reason: string }

const kept = (reason: string) => ({ ok: false as const, reason })

/** Drops all dead letters of an organization. Safe to repeat. */
export async function dropDeadLettersOf(broker: Broker, orgId: number): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  await jsm.streams.purge('DEAD', { filter: `dead.${orgId}.>` })
}

/**
 * Publishes the message of a dead letter again, waits until it is stored, then removes the dead letter. After a
 * failure the dead letter is still there. A crash in between or a second operator may cause the message to be handled
 * twice, which consumers expect anyway. Throws if the broker does not answer.
 */
export async function replayDeadLetter(broker: Broker, seq: number): Promise<Settled> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const found = await findDeadLetter(broker, seq)
  if (!found) return kept('there is no such dead letter')
  const refusal = refusalOf(found)
  if (refusal !== undefined) return kept(refusal)
  const payload = await wholePayload(jsm, found)
  if (!payload) return kept('only the head of its payload was kept, and the message is gone from its stream')
  const letter = { ...found, payload }
  const newest = isCompacted(letter.stream) ? await newestState(jsm, letter) : undefined
  if (newest?.isNewer)
    return kept(`outdated: ${letter.stream} holds a newer state of it (${newest.seq}); drop it`)
  const result = await republish(broker, letter, newest?.seq)
  if (!result.ok) return kept(result.reason)
  const storedAs = `${result.stream} ${result.seq}`
  const removed = await removeDeadLetter(broker, seq)
  return removed.ok ? { ok: true, storedAs } : kept(`stored again as ${storedAs}, but ${removed.reason}`)
}

/**
 * The whole payload. If only its head was kept, it is read from the stream of the message; undefined if it is gone from
 * there.
 */
async function wholePayload(jsm: JetStreamManager, letter: DeadLetter): Promise<Uint8Array | undefined> {
  const { truncated, payload, stream, stream_seq: seq } = letter
  if (!truncated) return payload
  const stored = await unlessGone(jsm.streams.getMessage(stream, { seq }))
  const isSame = stored !== undefined && sameBytes(stored.data.subarray(0, payload.length), payload)
  return isSame ? stored.data : undefined
}

/** Removes a dead letter for good. Succeeds too if it is already gone. */
export async function removeDeadLetter(broker: Broker, seq: number): Promise<Settled> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  try {
    await jsm.streams.deleteMessage('DEAD', seq, false)
    return { ok: true }
  } catch (error) {
    if (!(await unlessGone(jsm.streams.getMessage('DEAD', { seq })))) return { ok: true }
    return kept(`the dead letter could not be removed: ${describeError(error)}`)
  }
}

/** Why this dead letter can never be replayed; undefined if it can. */
function refusalOf(letter: DeadLetter): string | undefined {
  const { stream, original_subject: subject } = letter
  if (!isStream(stream)) return `there is no stream ${stream}`
  const belongs = streams[stream].subjects.some((pattern) => subject.startsWith(pattern.slice(0, -1)))
  if (!belongs) return `its subject is none of ${stream}`
  if (Number.isNaN(Date.parse(letter.received_at))) return 'it does not say when it was received'
  return undefined
}

const isStream = (name: string): name is StreamName => Object.hasOwn(streams, name) && name !== 'DEAD'
const isCompacted = (name: string) => isStream(name) && 'maxPerSubject' in streams[name]

/** The state that the compacted log has now. `isNewer`: it was stored after this one and differs from it. */
async function newestState(jsm: JetStreamManager, letter: DeadLetter) {
  const query = { last_by_subj: letter.original_subject }
  const state = await unlessGone(jsm.streams.getMessage(letter.stream, query))
  if (!state) return { seq: 0, isNewer: false }
  const later = state.seq > letter.stream_seq || state.time.getTime() > Date.parse(letter.received_at)
  return { seq: state.seq, isNewer: later && !sameBytes(state.data, letter.payload) }
}

/** With `newestSeq`, the broker refuses the message if a newer state was stored since we read that number. */
async function republish(broker: Broker, letter: DeadLetter & Sent, newestSeq?: number) {
  const receivedAt = Date.parse(letter.received_at)
  const replayed = asReplayed(originOf(letter), receivedAt)
  const { traceparent, request_id } = letter.headers
  const headers = {
    ...replayed.headers,
    ...(traceparent !== undefined && { traceparent }),
    ...(request_id !== undefined && { request_id }),
    'Nats-Expected-Stream': replayed.stream,
    ...(newestSeq !== undefined && { 'Nats-Expected-Last-Subject-Sequence': String(newestSeq) }),
  }
  const msgId = `replay.${letter.seq}.${letter.buried_at}`
  const message = { subject: replayed.subject, payload: letter.payload, msgId, headers }
  const [result = kept('no answer')] = await publishMany(broker, [message])
  return result
}
type Sent = { headers: Readonly<Record<string, string>> }

const originOf = ({ stream, original_subject: subject }: DeadLetter) => ({ stream, subject })

const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0
