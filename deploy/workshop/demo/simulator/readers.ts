import { connectReader } from '@whereabouts/messaging/readers/reader-connection'
import type { Demo } from '../demo-file.ts'
import type { PlannedReader, WarehousePlan } from '../warehouse.ts'
import type { Sighting, Device } from './device.ts'
import { createLink, type Link } from './link.ts'
import { connectMqtt } from './mqtt-connection.ts'
import type { Problems } from './problems.ts'
import { createCanonicalReader } from './canonical.ts'
import { createImpinjReader } from './impinj.ts'
import { createMinewGateway } from './minew.ts'
import { createZebraReader } from './zebra.ts'
import { createZebraSled } from './zebra-sled.ts'

export type SimulatedReader = {
  key: string
  link: Link
  readonly counts: Readonly<{ reads: number; messages: number; lost: number }>
  show(sightings: readonly Sighting[], now: Date): void
  heartbeat(at: Date): void
}

type Options = { demo: Demo; plan: WarehousePlan; problems: Problems }

/** One connection per reader. */
export function openReaders({ demo, plan, problems }: Options): SimulatedReader[] {
  return plan.readers.map((reader, index) => openReader(demo, reader, index, problems))
}

/** One damaged message follows this many messages with reads. */
const MESSAGES_PER_BROKEN = 200

function openReader(demo: Demo, reader: PlannedReader, index: number, problems: Problems): SimulatedReader {
  const device = createDevice(reader, index)
  const counts = { reads: 0, messages: 0, lost: 0 }
  const place = [
    'scans',
    demo.org_id,
    reader.key,
    reader.format,
    ...(device.topicSuffix ? [device.topicSuffix] : []),
  ]
  const address = place.join(reader.transport === 'mqtt' ? '/' : '.')
  const send = (messages: readonly string[]) =>
    messages.filter((message) => link.publish(address, Buffer.from(message))).length
  const link = createLink({
    connect: () => logIn(demo, reader),
    onDown: (error) => problems.down(reader.transport, error),
    onUp() {
      problems.up(reader.transport)
      send(device.greeting(new Date()))
    },
  })
  return {
    key: reader.key,
    link,
    counts,
    show(sightings, now) {
      const messages = sightings.length > 0 ? device.reads(sightings) : []
      const sent = send(messages)
      counts[sent === messages.length ? 'reads' : 'lost'] += sightings.length
      const before = Math.floor(counts.messages / MESSAGES_PER_BROKEN)
      counts.messages += sent
      if (Math.floor(counts.messages / MESSAGES_PER_BROKEN) > before) send([device.broken(now)])
    },
    heartbeat: (at) => void send(device.heartbeat(at)),
  }
}

function logIn({ nats_url: natsUrl, mqtt_url: mqttUrl, reader_key: key }: Demo, reader: PlannedReader) {
  const login = { clientId: key.client_id, clientSecret: key.client_secret, name: reader.key }
  return reader.transport === 'mqtt'
    ? connectMqtt({ url: mqttUrl, ...login })
    : connectReader({ url: natsUrl, ...login })
}

/** The device of a reader in the plan. Its hardware addresses derive from `index`, its place there. */
function createDevice(reader: PlannedReader, index: number): Device {
  return DEVICES[reader.model](reader, String(index + 1).padStart(2, '0'))
}

const DEVICES: Record<PlannedReader['model'], (reader: PlannedReader, octet: string) => Device> = {
  'impinj-r700': ({ transport, antennas }, octet) =>
    createImpinjReader({
      hostname: `impinj-0a-0b-${octet}`,
      framing: transport === 'mqtt' ? 'single' : 'stream',
      antennas: antennas.length,
    }),
  'zebra-fixed': ({ transport, antennas }, octet) =>
    createZebraReader({
      mac: `C4:7D:CC:0A:0B:${octet}`,
      hostName: `FX96000A0B${octet}`,
      mode: transport === 'mqtt' ? 'SIMPLE' : 'INVENTORY',
      antennas: antennas.length,
    }),
  'zebra-sled': (_, octet) => createZebraSled({ serial: `241999999000${octet}` }),
  'ble-gateway': () => createCanonicalReader(),
  'minew-g1': (_, octet) => createMinewGateway({ mac: `AC233FC0A0${octet}` }),
}
