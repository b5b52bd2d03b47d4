import type { Device, Sighting } from './device.ts'

const NOTE = 'The demo of npm start breaks this message on purpose. There is nothing to fix.'

/** An integration that sends our own format: a BLE gateway, and handhelds that report through it. */
export function createCanonicalReader(): Device {
  return {
    reads: (sightings) => (sightings.length > 0 ? [canonicalMessage(sightings)] : []),
    greeting: () => [],
    heartbeat: () => [], // the format has none; every message counts as one
    // Truncated JSON, so the whole message becomes a dead letter. `npm run dead-letters -- show` prints the note.
    broken: (at) => JSON.stringify({ note: NOTE, reads: [{ read_at: at.toISOString() }] }).slice(0, -30),
  }
}

/** One message of the format `canonical`. */
export function canonicalMessage(sightings: readonly Sighting[]): string {
  return JSON.stringify({ reads: sightings.map(canonicalRead) })
}

function canonicalRead({ tag, antenna, locationKey, rssiDbm, readCount, seenAt }: Sighting) {
  return {
    tag: { type: tag.type, value: tag.value },
    antenna,
    ...(locationKey !== undefined && { location: locationKey }),
    read_at: seenAt.toISOString(),
    ...(tag.type !== 'barcode' && { rssi_dbm: Math.round(rssiDbm * 10) / 10 }),
    read_count: readCount,
  }
}
