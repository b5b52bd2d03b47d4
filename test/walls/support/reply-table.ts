import { connect } from 'nats'
import { inject } from 'vitest'
import type { World } from '../../contract/support/world.ts'
import type { StreamState } from './watcher.ts'

/** Verbs of the JetStream API for one stream. Add a line for a new verb of the broker. */
const STREAM_VERBS = [
  'STREAM.CREATE.{stream}',
  'STREAM.UPDATE.{stream}',
  'STREAM.INFO.{stream}',
  'STREAM.DELETE.{stream}',
  'STREAM.PURGE.{stream}',
  'STREAM.SNAPSHOT.{stream}',
  'STREAM.RESTORE.{stream}',
  'STREAM.MSG.DELETE.{stream}',
  'STREAM.MSG.GET.{stream}',
  'STREAM.PEER.REMOVE.{stream}',
  'STREAM.LEADER.STEPDOWN.{stream}',
  'DIRECT.GET.{stream}',
  'DIRECT.GET.{stream}.{subject}',
  'CONSUMER.CREATE.{stream}',
  'CONSUMER.LIST.{stream}',
  'CONSUMER.NAMES.{stream}',
]

const CONSUMER_VERBS = [
  'CONSUMER.CREATE.{stream}.{consumer}',
  'CONSUMER.CREATE.{stream}.{consumer}.{subject}',
  'CONSUMER.DURABLE.CREATE.{stream}.{consumer}',
  'CONSUMER.DELETE.{stream}.{consumer}',
  'CONSUMER.INFO.{stream}.{consumer}',
  'CONSUMER.PAUSE.{stream}.{consumer}',
  'CONSUMER.RESET.{stream}.{consumer}',
  'CONSUMER.UNPIN.{stream}.{consumer}',
  'CONSUMER.MSG.NEXT.{stream}.{consumer}',
  'CONSUMER.LEADER.STEPDOWN.{stream}.{consumer}',
]

/** Subjects of the account, the server or the protocol of MQTT, not of a single stream. */
export const BROKER_SUBJECTS = [
  '$JS.API.INFO',
  '$JS.API.STREAM.LIST',
  '$JS.API.STREAM.NAMES',
  '$JS.API.META.LEADER.STEPDOWN',
  '$JS.API.SERVER.REMOVE',
  '$JS.API.ACCOUNT.PURGE.APP',
  '$JS.EVENT.ADVISORY.API',
  '$KV.keys.walls',
  '$O.keys.C.walls',
  '$SYS.REQ.USER.AUTH',
  '$SYS.REQ.USER.INFO',
  '$SYS.REQ.SERVER.PING',
  '$SYS.REQ.SERVER.PING.CONNZ',
  '$SYS.REQ.ACCOUNT.APP.CONNZ',
  '$SYS.REQ.ACCOUNT.APP.CLAIMS.UPDATE',
  '$SYS.REQ.CLAIMS.DELETE',
  '$SYS.ACCOUNT.APP.CONNECT',
  '$SRV.PING',
  '$MQTT.JSA.walls.SL.walls',
  '$MQTT.sub.walls',
  '$MQTT.deliver.pubrel.walls',
  '$JSC.R.walls',
  '_GR_.walls.walls.walls',
  '_R_.walls',
]

/** Enough to identify a stream; the wildcards of its configuration are added. */
const MAX_SUBJECTS = 60

/** Every subject over which a stream can be written, read, emptied, changed or ended. `theirs` come first. */
export function repliesTo(stream: StreamState, theirs: World): string[] {
  const fill = (pattern: string, consumer = '') =>
    pattern
      .replaceAll('{stream}', stream.name)
      .replaceAll('{consumer}', consumer)
      .replaceAll('{subject}', 'walls')
  const names = Object.keys(stream.consumers)
  return [
    ...STREAM_VERBS.map((verb) => `$JS.API.${fill(verb)}`),
    ...names.flatMap((name) => CONSUMER_VERBS.map((verb) => `$JS.API.${fill(verb, name)}`)),
    ...names.map((name) => `$JS.ACK.${stream.name}.${name}.1.1.1.1700000000000000000.0`),
    ...names.map((name) => `$JS.FC.${stream.name}.${name}.walls`),
    ...capturedBy(stream, theirs),
  ]
}

/** Subjects that the stream stores: those it has, those it would have of the victim, and one of its pattern. */
export function capturedBy({ config, subjects }: StreamState, theirs: World): string[] {
  const known = Object.keys(subjects).toSorted((a, b) => Number(isOf(b, theirs)) - Number(isOf(a, theirs)))
  const patterns = config.subjects.map((pattern) => pattern.replaceAll('*', 'walls').replace(/>$/, 'walls'))
  return [
    ...new Set([
      ...subjectsOf(theirs).filter(matches(config.subjects)),
      ...known.slice(0, MAX_SUBJECTS),
      ...patterns,
    ]),
  ]
}

const isOf = (subject: string, { org, key, readerKey }: World) =>
  subject.split('.').some((token) => [String(org.id), key.jti, readerKey.jti].includes(token))

const matches = (patterns: readonly string[]) => (subject: string) =>
  patterns.some(
    (pattern) => pattern === subject || (pattern.endsWith('.>') && subject.startsWith(pattern.slice(0, -1))),
  )

/** Subjects of the product's messages about an organization. Add a line for a new message between services. */
export const subjectsOf = ({ org, key, asset, location, reader }: World): string[] => [
  `scans.${org.id}.phantom.canonical`,
  `scans.${org.id}.${reader.reader_key}.canonical`,
  `scans.replayed.${org.id}.phantom.canonical`,
  `replayed.scans.${org.id}.phantom.canonical`,
  `$MQTT.msgs.scans.${org.id}.phantom.canonical`,
  `keys.key.${key.jti}`,
  `keys.org.${org.id}`,
  `keys.member.${org.id}.${org.userId}`,
  `catalog.asset.${org.id}.${asset.id}`,
  `catalog.location.${org.id}.${location.id}`,
  `catalog.tag.${org.id}.${asset.tagId}`,
  `events.asset-moved.${org.id}`,
  `placements.${org.id}`,
  `dead.${org.id}.SCANS.tracking-ingest`,
  'dead.SCANS.tracking-ingest',
]

/** Every subject with a subscriber in the account of the services at this moment, wildcards filled in. */
export async function listenedTo(): Promise<string[]> {
  const pass = inject('secrets').nats.system_password
  const nc = await connect({ servers: inject('urls').nats, user: 'system', pass })
  try {
    const question = { subscriptions: true, account: 'APP', limit: 10_000 }
    const reply = await nc.request('$SYS.REQ.SERVER.PING.SUBSZ', JSON.stringify(question), {
      timeout: 5_000,
    })
    const { data } = reply.json<{ data: { subscriptions_list?: { subject: string }[] } }>()
    const subjects = (data.subscriptions_list ?? []).map(({ subject }) => subject)
    return [...new Set(subjects.map((subject) => subject.replaceAll('*', 'walls').replace(/>$/, 'walls')))]
  } finally {
    await nc.close()
  }
}
