import type { JetStreamManager } from 'nats'
import { natsOf, type Broker } from './connection.ts'
import { findDeadLetter, type DeadLetter } from './dead-letters.ts'
import { describeError } from './logger.ts'
import { publishMany } from './publish.ts'
import { asReplayed } from './replayed.ts'
import { unlessGone } from './stored.ts'
import { streams, type StreamName } from './topology.ts'

/** Where it was stored again, or why the dead letter is still there. */
export type Settled = { ok: true; storedAs?: string } | { ok: false; reason: string }

const left = (reason: string) => ({ ok: false as const, reason })

/**
 * Publishes what a dead letter holds once more, waits until it is stored, then removes the letter. Whatever fails leaves
 * the letter where it is; a crash in between, and a second operator, may have it handled twice, which consumers are made
 * for. Throws when the broker is away.
 */
export async function replayDeadLetter(broker: Broker, seq: number): Promise<Settled> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const kept = await findDeadLetter(broker, seq)
  if (!kept) return left('there is no such dead letter')
  const unfit = whyUnfit(kept)
  if (unfit !== undefined) return left(unfit)
  const payload = await wholePayload(jsm, kept)
  if (!payload) return left('only the head of its payload was kept, and the message is gone from its stream')
  const letter = { ...kept, payload }
  const newest = isCompacted(letter.stream) ? await newestState(jsm, letter) : undefined
  if (newest?.isNewer)
    return left(`outdated: ${letter.stream} holds a newer state of it (${newest.seq}); drop it`)
  const result = await publishAgain(broker, letter, newest?.seq)
  if (!result.ok) return left(result.reason)
  const storedAs = `${result.stream} ${result.seq}`
  const removed = await removeDeadLetter(broker, seq)
  return removed.ok ? { ok: true, storedAs } : left(`stored again as ${storedAs}, but ${removed.reason}`)
}

/** From the stream where the message was, where only its head was kept here; undefined when it is gone from there. */
async function wholePayload(jsm: JetStreamManager, letter: DeadLetter): Promise<Uint8Array | undefined> {
  const { truncated, payload, stream, stream_seq: seq } = letter
  if (!truncated) return payload
  const stored = await unlessGone(jsm.streams.getMessage(stream, { seq }))
  const isIt = stored !== undefined && sameBytes(stored.data.subarray(0, payload.length), payload)
  return isIt ? stored.data : undefined
}

/** Removes a dead letter for good. One that is gone counts as removed. */
export async function removeDeadLetter(broker: Broker, seq: number): Promise<Settled> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  try {
    await jsm.streams.deleteMessage('DEAD', seq, false)
    return { ok: true }
  } catch (error) {
    if (!(await unlessGone(jsm.streams.getMessage('DEAD', { seq })))) return { ok: true }
    return left(`the dead letter could not be removed: ${describeError(error)}`)
  }
}

/** Why it can never be published again as it is. */
function whyUnfit(letter: DeadLetter): string | undefined {
  const { stream, original_subject: subject } = letter
  if (!isStream(stream)) return `there is no stream ${stream}`
  const belongs = streams[stream].subjects.some((pattern) => subject.startsWith(pattern.slice(0, -1)))
  if (!belongs) return `its subject is none of ${stream}`
  if (Number.isNaN(Date.parse(letter.received_at))) return 'it does not say when it was received'
  return undefined
}

const isStream = (name: string): name is StreamName => Object.hasOwn(streams, name) && name !== 'DEAD'
const isCompacted = (name: string) => isStream(name) && 'maxPerSubject' in streams[name]

/** The state that a compacted log has now. Newer: stored after this one was, and not this one itself. */
async function newestState(jsm: JetStreamManager, letter: DeadLetter) {
  const query = { last_by_subj: letter.original_subject }
  const state = await unlessGone(jsm.streams.getMessage(letter.stream, query))
  if (!state) return { seq: 0, isNewer: false }
  const later = state.seq > letter.stream_seq || state.time.getTime() > Date.parse(letter.received_at)
  return { seq: state.seq, isNewer: later && !sameBytes(state.data, letter.payload) }
}

/** `newestSeq`: the broker refuses it when a newer state was stored since we looked. */
async function publishAgain(broker: Broker, letter: DeadLetter & Sent, newestSeq?: number) {
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
  const [result = left('no answer')] = await publishMany(broker, [message])
  return result
}
type Sent = { headers: Readonly<Record<string, string>> }

const originOf = ({ stream, original_subject: subject }: DeadLetter) => ({ stream, subject })

const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0
