import type { Device, Sighting } from './device.ts'

type ZebraOptions = {
  /** With colons. */
  mac: string
  hostName: string
  /** The operating mode. SIMPLE names antenna and signal only with metadata enabled, as here. */
  mode: 'SIMPLE' | 'INVENTORY'
  antennas: number
}

/** A Zebra FX or FXR reader with IoT Connector. It concatenates simultaneous reads into one message. */
export function createZebraReader({ mac, hostName, mode, antennas }: ZebraOptions): Device {
  let events = 0
  let reads = 0
  const event = (at: Date, type: string, data: object, more: object = {}) => {
    events += 1
    return JSON.stringify({ ...more, data, eventNum: events, timestamp: zebraTime(at), type })
  }
  const read = (sighting: Sighting) => {
    reads += sighting.readCount
    const identity = mode === 'SIMPLE' ? { MAC: mac, hostName } : { MAC: mac, reads: sighting.readCount }
    const data = { ...identity, ...tagData(sighting), eventNum: (events += 1) }
    return JSON.stringify({ data, timestamp: zebraTime(sighting.seenAt), type: mode })
  }
  const heartbeat = (at: Date) =>
    event(at, 'heartbeat', heartbeatData({ mac, hostName, antennas, reads }), { component: 'RG' })
  return {
    reads: (sightings) => [sightings.map(read).join('')],
    greeting: (at) => [heartbeat(at)],
    heartbeat: (at) => [heartbeat(at)],
    broken: (at) =>
      `${heartbeat(at)}{"data":{"antenna":1,"eventNum":${events},"format":"epc","idHex":"e2806f`,
  }
}

/** `2026-03-01T10:00:01.194+0000`: the zone without a colon. */
const zebraTime = (at: Date) => at.toISOString().replace('Z', '+0000')

function tagData({ tag, antenna, rssiDbm }: Sighting) {
  return { antenna, format: 'epc', idHex: tag.value.toLowerCase(), peakRssi: Math.round(rssiDbm) }
}

type Vitals = { mac: string; hostName: string; antennas: number; reads: number }

function heartbeatData({ mac, hostName, antennas, reads }: Vitals) {
  const ports = Array.from({ length: antennas }, (_, index) => [String(index + 1), 'connected'])
  const radio = {
    numTagReads: reads,
    radioActivity: 'active',
    radioConnection: 'connected',
    status: 'running',
  }
  return {
    radio_control: { antennas: Object.fromEntries(ports), numErrors: 0, numWarnings: 0, ...radio },
    reader_gateway: {
      dataPathStatistics: [{ numDataMessagesDropped: 0, numDataMessagesRetained: 0 }],
      interfaceConnectionStatus: {
        data: [
          { connectionError: '', connectionStatus: 'connected', description: 'data', interface: 'DATA_1' },
        ],
      },
    },
    system: {
      flash: null,
      hostName,
      macAddress: mac,
      ntp: { offset: 1, reach: 377 },
      temperature: { ambient: 24, pa: 31 },
      uptime: uptime(process.uptime()),
    },
    userapps: [],
  }
}

/** `4:19:5`: readers do not pad it. */
const uptime = (seconds: number) =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => Math.floor(part)).join(':')
