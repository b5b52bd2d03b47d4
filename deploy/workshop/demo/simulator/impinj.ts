import type { Device, Sighting } from './device.ts'

type ImpinjOptions = {
  /** The factory name `impinj-1a-2b-3c`, or another one. */
  hostname: string
  /** `single`: one event per message, as over MQTT. `stream`: lines, as a bridge passes the HTTP stream on. */
  framing: 'single' | 'stream'
  antennas: number
}

/** An Impinj R700 with its IoT device interface: EPCs in base64url, signal strengths in 1/100 dBm. */
export function createImpinjReader({ hostname, framing, antennas }: ImpinjOptions): Device {
  const event = (at: Date, eventType: string, body: object) =>
    JSON.stringify({ timestamp: at.toISOString(), hostname, eventType, [`${eventType}Event`]: body })
  const tagEvent = (sighting: Sighting) =>
    event(new Date(sighting.seenAt.getTime() + QUEUE_MS), 'tagInventory', inventory(sighting))
  const frame = (events: string[]) => (framing === 'single' ? events : [stream(events)])
  const status = (at: Date) => event(at, 'inventoryStatus', { status: 'running' })
  return {
    reads: (sightings) => frame(sightings.map(tagEvent)),
    greeting: (at) =>
      frame([status(at), ...antennaEvents(antennas, (body) => event(at, 'antennaConnected', body))]),
    heartbeat: (at) => frame([status(at)]),
    broken: (at) => stream([status(at), status(at).slice(0, 60)]),
  }
}

/** Delay from the antenna to the event queue. */
const QUEUE_MS = 4

/** Lines end in CR LF; the blank one at the end is a keep-alive. */
const stream = (events: string[]) => [...events, '', ''].join('\r\n')

const antennaEvents = (count: number, event: (body: object) => string) =>
  Array.from({ length: count }, (_, index) => event({ antennaPort: index + 1 }))

function inventory({ tag, antenna, rssiDbm, seenAt }: Sighting) {
  return {
    epc: Buffer.from(tag.value, 'hex').toString('base64url'),
    antennaPort: antenna,
    antennaName: `Antenna ${antenna}`,
    peakRssiCdbm: Math.round(rssiDbm * 100),
    frequency: 915_750,
    transmitPowerCdbm: 3000,
    lastSeenTime: seenAt.toISOString(),
  }
}
