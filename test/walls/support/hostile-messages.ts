import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import { fc } from '@whereabouts/testing/fuzz'
import type { World } from '../../contract/support/world.ts'
import { BROKER_SUBJECTS, subjectsOf } from './reply-table.ts'
import type { RawMessage } from './raw-nats.ts'

type Sides = { mine: World; theirs: World; replies: readonly string[] }
type Header = readonly [name: string, value: string]

/** Any message that a reader can send: the protocol is valid, nothing else has to be. */
export function hostileMessage({ mine, theirs, replies }: Sides): fc.Arbitrary<RawMessage> {
  const foreign = [...subjectsOf(theirs), ...BROKER_SUBJECTS, ...replies]
  return fc.record(
    {
      // Most are allowed, because a message that is refused at once attacks nothing.
      subject: fc.oneof(
        { weight: 7, arbitrary: ownSubject(mine, theirs) },
        { weight: 3, arbitrary: fc.constantFrom(...foreign) },
      ),
      reply: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...foreign) },
        { weight: 2, arbitrary: randomSubject },
        { weight: 1, arbitrary: fc.constant(`_INBOX.${mine.readerKey.clientId}.walls`) },
      ),
      headers: fc.array(header(mine, foreign), { maxLength: 4 }),
      payload: payload(theirs),
    },
    { requiredKeys: ['subject'] },
  )
}

const token = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abzAZ09-_$'.split('')), minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    'scans',
    'keys',
    '$JS',
    'API',
    '$MQTT',
    'rmsgs',
    '$SYS',
    '_INBOX',
    'replayed',
    '*',
    '>',
    'ü',
    '0',
  ),
)

const randomSubject = fc.array(token, { minLength: 1, maxLength: 7 }).map((tokens) => tokens.join('.'))

function ownSubject({ org }: World, theirs: World): fc.Arbitrary<string> {
  const reader = fc.oneof(token, fc.constantFrom(theirs.reader.reader_key, String(theirs.org.id)))
  const format = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...readerFormats) },
    { weight: 1, arbitrary: randomSubject },
  )
  return fc.tuple(reader, format).map(([key, form]) => `scans.${org.id}.${key}.${form}`)
}

/** The headers that the broker understands. Add a line for a new one. */
function header({ org }: World, foreign: readonly string[]): fc.Arbitrary<Header> {
  const subject = fc.constantFrom(...foreign)
  const number = fc.constantFrom('0', '1', '5', '-1', '18446744073709551615', 'x')
  const pair = (name: string, value: fc.Arbitrary<string>) => value.map((text): Header => [name, text])
  return fc.oneof(
    pair('Nats-Msg-Id', fc.constantFrom('1', 'reader-1-1', `replay.${org.id}`)),
    pair('Nats-Expected-Stream', fc.constantFrom('SCANS', 'KEYS', 'CATALOG')),
    pair('Nats-Expected-Last-Sequence', number),
    pair('Nats-Expected-Last-Subject-Sequence', number),
    pair('Nats-Expected-Last-Subject-Sequence-Subject', subject),
    pair('Nats-Expected-Last-Msg-Id', fc.constantFrom('1', 'reader-1-1')),
    pair('Nats-Rollup', fc.constantFrom('all', 'sub')),
    pair('Nats-TTL', fc.constantFrom('1s', '1', 'never')),
    pair('Nats-Incr', number),
    pair('Nats-Schedule', fc.constantFrom('@at 2020-01-01T00:00:00Z', '@every 1s', '* * * * * *')),
    pair('Nats-Schedule-Target', subject),
    pair('Nats-Schedule-Source', subject),
    pair('Nats-Schedule-TTL', fc.constant('1s')),
    pair('Nats-Schedule-Next', fc.constantFrom('purge', '2020-01-01T00:00:00Z')),
    pair('Nats-Scheduler', subject),
    pair('Nats-Batch-Id', fc.constantFrom('a', 'b')),
    pair('Nats-Batch-Sequence', fc.constantFrom('1', '2', '3')),
    pair('Nats-Batch-Commit', fc.constantFrom('1', 'eob')),
    pair('Nats-Trace-Dest', subject),
    pair('Nats-Trace-Only', fc.constantFrom('true', 'false')),
    pair('Accept-Encoding', fc.constant('gzip')),
    pair('traceparent', fc.constant(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)),
    pair('Nmqtt-Pub', fc.constantFrom('0', '1', '2')),
    pair('Nmqtt-Subject', subject),
    pair('Nmqtt-Mapped', subject),
    pair('Nmqtt-PubRel', fc.constant('1')),
    pair('Nmqtt-RTopic', subject),
    pair('Nats-Request-Info', fc.constant('{"acc":"SYS","svc":"services","user":"services"}')),
    pair('Nats-Stream-Source', fc.constant(`KEYS 1 > > keys.org.${org.id}`)),
    pair('Nats-Marker-Reason', fc.constantFrom('Purge', 'Remove', 'MaxAge')),
    pair('KV-Operation', fc.constantFrom('DEL', 'PURGE')),
    pair('Status', fc.constantFrom('100', '503')),
    pair('first_received_at', fc.constantFrom('2020-01-01T00:00:00.000Z', 'x')),
    pair('original_subject', subject),
    pair('request_id', fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 200 })),
  )
}

/** Scans of tags that the other organization has, requests to the API of the broker, and noise. */
function payload(theirs: World): fc.Arbitrary<string | Uint8Array> {
  const { org, asset, location, key } = theirs
  const read = { tag: { type: 'barcode', value: asset.tagValue }, antenna: 1 }
  const scan = JSON.stringify({ reads: [read, { ...read, location: location.external_key }] })
  const requests = [
    { name: 'KEYS', subjects: ['keys.>'], max_msgs: 1 },
    { seq: 1 },
    { filter: `catalog.asset.${org.id}.>` },
    { org_id: org.id, jti: key.jti, revision: 9_999, revoked_at: '2020-01-01T00:00:00Z', scopes: [] },
    { stream_name: 'SCANS', config: { ack_policy: 'none', deliver_subject: `scans.${org.id}.x` } },
  ].map((request) => JSON.stringify(request))
  return fc.oneof(
    fc.constantFrom(scan, '', '{}', '{"reads":[]}', '+ACK', '-TERM', '+NXT', ...requests),
    fc.json({ maxDepth: 3 }),
    fc.uint8Array({ maxLength: 64 }),
  )
}
