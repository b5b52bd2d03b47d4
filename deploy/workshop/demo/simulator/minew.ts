import type { Device, Sighting } from './device.ts'

type MinewOptions = {
  /** Without separators. */
  mac: string
}

/** A Minew G1 set to JSON-LONG: its own row first, then one for each beacon that it heard. */
export function createMinewGateway({ mac }: MinewOptions): Device {
  const message = (at: Date, rows: readonly object[]) => JSON.stringify([gatewayRow(mac, at), ...rows])
  return {
    reads: (sightings) => sightings.slice(-1).map(({ seenAt }) => message(seenAt, sightings.map(beaconRow))),
    greeting: (at) => [message(at, [])],
    heartbeat: () => [], // each message has its row
    // One beacon without address: the other rows are read.
    broken: (at) => message(at, [{ timestamp: at.toISOString(), type: 'Unknown', rssi: -70, rawData: '' }]),
  }
}

const gatewayRow = (mac: string, at: Date) => ({
  timestamp: at.toISOString(),
  type: 'Gateway',
  mac,
  gatewayFree: 89,
  gatewayLoad: 0.03,
})

const beaconRow = ({ tag, rssiDbm, seenAt }: Sighting) => ({
  timestamp: seenAt.toISOString(),
  type: 'Unknown',
  mac: tag.value,
  bleName: '',
  rssi: Math.round(rssiDbm),
  rawData: '',
})
