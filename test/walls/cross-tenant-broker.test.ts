import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { test as base } from './support/walls.fixture.ts'
import { openMqtt } from './support/mqtt-client.ts'
import type { RawNats } from './support/raw-nats.ts'
import { BROKER_SUBJECTS, capturedBy, listenedTo, repliesTo } from './support/reply-table.ts'

/** Every foreign subject: those that streams hold and accept, those of services, and those of the broker itself. */
const test = base.extend('foreign', { scope: 'file' }, async ({ before, victim, attacker }) => {
  const captured = before.streams.flatMap((stream) => capturedBy(stream, victim))
  const verbs = before.streams.flatMap((stream) => repliesTo(stream, victim))
  const all = [...captured, ...verbs, ...BROKER_SUBJECTS, ...(await listenedTo())]
  const own = new RegExp(`^(?:scans\\.${attacker.org.id}\\.|_INBOX\\.)`)
  return [...new Set(all)].filter((subject) => !own.test(subject))
})

const WIDE = [
  '>',
  '*',
  '*.>',
  'scans.>',
  'scans.*.>',
  'keys.>',
  'catalog.>',
  'dead.>',
  '$JS.>',
  '$MQTT.>',
  '$SYS.>',
  '_R_.>',
]

/** Everything that a reader can do with a subject over NATS, one line each. */
const overNats: Record<string, (raw: RawNats, subject: string, index: number) => void> = {
  publish: (raw, subject) => raw.publish({ subject, payload: 'walls' }),
  'publish with headers': (raw, subject) =>
    raw.publish({ subject, headers: [['Nats-Rollup', 'all']], payload: 'walls' }),
  'publish as a request': (raw, subject, i) =>
    raw.publish({ subject, reply: `_INBOX.walls.${i}`, payload: '{}' }),
}

test.for(Object.entries(overNats))(
  'NATS %s: refused on every foreign subject',
  async ([, act], { foreign, reader, before, unchanged }) => {
    expect(foreign.length).toBeGreaterThan(200)
    const raw = await reader()
    for (const [i, subject] of foreign.entries()) act(raw, subject, i)
    await raw.flush()
    const refused = new Set(raw.errors.map((error) => /to "(.*)"$/.exec(error)?.[1]))
    expect(foreign.filter((subject) => !refused.has(subject))).toEqual([])
    await unchanged(before)
  },
)

const topicOf = (subject: string) => subject.replaceAll('.', '/')
/** A published MQTT topic has no wildcards, and a token cannot contain a slash. */
const isTopic = (subject: string) => !/[*>/+#]/.test(subject)

const QUALITIES = [0, 1, 2] as const
const overMqtt = QUALITIES.flatMap((qos) => [
  { name: `QoS ${qos}`, options: { qos } },
  { name: `QoS ${qos}, retained`, options: { qos, retain: true } },
])

test.for(overMqtt)(
  'MQTT publish at $name: nothing arrives',
  async ({ options }, { foreign, attacker, before, unchanged }) => {
    let mine = await newClient(attacker.readerKey)
    for (const subject of foreign.filter(isTopic)) {
      if (!mine.isOpen()) mine = await newClient(attacker.readerKey)
      await mine.publish(topicOf(subject), 'walls', options)
    }
    await mine.close({ rudely: true })
    await unchanged(before, 'MQTT')
  },
)

const newClient = (key: Parameters<typeof openMqtt>[0], options: Parameters<typeof openMqtt>[1] = {}) =>
  openMqtt(key, { clientId: `${key.clientId}-${randomUUID().slice(0, 8)}`, ...options })

test('MQTT wills: nothing arrives', async ({ foreign, attacker, before, unchanged }) => {
  const targets = foreign.filter(isTopic).filter((_, i) => i % 8 === 0)
  for (const [i, subject] of targets.entries()) {
    const will = {
      topic: topicOf(subject),
      payload: Buffer.from('walls'),
      qos: QUALITIES[i % 3] ?? 0,
      retain: i % 2 === 0,
    }
    const mine = await newClient(attacker.readerKey, { will }).catch(() => undefined)
    await mine?.close({ rudely: true })
  }
  await unchanged(before, 'MQTT')
})

test('MQTT subscribe: refused on every topic', async ({ foreign, attacker }) => {
  const mine = await newClient(attacker.readerKey)
  const topics = ['#', '+/#', 'scans/#', '$MQTT/#', '$SYS/#', ...foreign.filter(isTopic).map(topicOf)]
  const granted = []
  for (const topic of topics) if ((await mine.subscribe(topic)) !== 128) granted.push(topic)
  await mine.close()
  expect(granted).toEqual([])
})

test('at the end the other organization is unchanged', async ({ before, unchanged, sameView }) => {
  await unchanged(before, 'MQTT')
  await sameView(before)
})

test('NATS subscribe: no message of another organization arrives', async ({ foreign, reader, victim }) => {
  const raw = await reader()
  const subjects = [...WIDE, ...foreign]
  // A connection may have few subscriptions at a time; refused ones do not count.
  for (const [i, subject] of subjects.entries()) raw.subscribe(subject, String(i))
  await raw.flush().catch(() => undefined)
  const their = await reader(victim.readerKey)
  their.publish({ subject: `scans.${victim.org.id}.heard.canonical`, payload: 'not JSON' })
  await their.flush()
  await raw.flush().catch(() => undefined)
  expect(raw.heard).toEqual([])
})
